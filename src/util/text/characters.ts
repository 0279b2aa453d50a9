/** The text with its code points in reverse order. */
export function reverseText(text: string): string {
  return [...text].toReversed().join('')
}

/** Number of characters with which both texts begin. */
export function countCommonStart(a: string, b: string): number {
  let count = 0
  while (count < a.length && a[count] === b[count]) count += 1
  return count
}
