/**
 * The text, or as much of its beginning as the service takes. It counts characters, of which `maxLength` of HTML counts some
 * twice.
 */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : Array.from(text).slice(0, most).join("");
}
