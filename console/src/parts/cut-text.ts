/**
 * Cuts a text to the service's limit. The service counts characters; HTML's `maxLength` counts UTF-16 units.
 */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : Array.from(text).slice(0, most).join("");
}

/** The most characters of a search, as the service takes it. */
const longestSearch = 200;

/** Trims the text of a search and cuts it to the service's limit. */
export const cutSearch = (text: string): string => cutText(text.trim(), longestSearch);
