/**
 * True if text could change the terminal's state: control characters, or bytes that are not text.
 */
export function isRisky(text: string | undefined): boolean {
  return text === undefined || /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(text)
}
