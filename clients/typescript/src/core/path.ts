/**
 * A path with its parameters escaped, as in path`/orders/${orderId}`.
 *
 * @throws TypeError for an empty parameter, `.` or `..`: each would name another path than was meant
 */
export function path(texts: TemplateStringsArray, ...parameters: string[]): string {
  const escaped = parameters.map((parameter) => {
    if (typeof parameter !== "string" || /^\.{0,2}$/.test(parameter)) {
      throw new TypeError(`${JSON.stringify(parameter)} cannot be a part of a path: give the id or slug.`);
    }
    return encodeURIComponent(parameter);
  });
  return String.raw({ raw: texts }, ...escaped);
}
