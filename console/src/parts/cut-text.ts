/**
 * Cuts a text to the service's limit. The service counts characters; HTML's `maxLength` counts UTF-16 units.
 */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : Array.from(text).slice(0, most).join("");
}
