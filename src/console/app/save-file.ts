/** Longer than a browser needs to begin the download. */
const REVOKE_MS = 10_000

/** Saves content as a file, as the browser saves downloads. The page never opens it. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS)
}
