/** Milliseconds of a field; undefined if it is empty. */
export function readTimeout(text: string): number | 'invalid' | undefined {
  if (text.trim() === '') return undefined
  const number = Number(text)
  return Number.isSafeInteger(number) && number > 0 ? number : 'invalid'
}
