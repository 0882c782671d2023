/**
 * Builds a path with escaped parameters, such as path`/orders/${orderId}`.
 *
 * @throws TypeError for an empty parameter, `.` or `..`, which would change the path
 */
export function path(texts: TemplateStringsArray, ...parameters: string[]): string {
  const escaped = parameters.map((parameter) => {
    if (typeof parameter !== "string" || /^\.{0,2}$/.test(parameter)) {
      throw new TypeError(`${JSON.stringify(parameter)} cannot be a part of a path. Pass an id or a slug.`);
    }
    return encodeURIComponent(parameter);
  });
  return String.raw({ raw: texts }, ...escaped);
}
