/** `1 blob`, `2 blobs`. */
export function formatPlural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
