/** Decodes the escapes of an address; a text with broken ones stays as it is. */
export function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
