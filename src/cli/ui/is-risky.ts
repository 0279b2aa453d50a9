/** Whether something shown as it is could upset a terminal: control characters, or no text at all. */
export function isRisky(text: string | undefined): boolean {
  return text === undefined || /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(text)
}
