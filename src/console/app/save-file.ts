/** Saves a file as the browser saves downloads. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has opened the content by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
