/** Absolute paths with at least two segments. Paths inside the sandbox are not secret. */
const ABSOLUTE_PATH = /(?<![\w.:/])\/(?!skills\/|workspace\b|blobs\/)[\w.@+-]+(?:\/[\w.@+-]+)+/g

/** Creates a function that masks paths of this machine in a text. */
export function createPathMask(privateFolders: readonly string[]): (text: string) => string {
  const folders = [...new Set(privateFolders)]
    .filter((each) => each.length > 1)
    .sort((a, b) => b.length - a.length)
  return (text) => {
    if (!text.includes('/')) return text
    const without = folders.reduce((masked, folder) => masked.replaceAll(folder, '…'), text)
    return without.replace(ABSOLUTE_PATH, '…')
  }
}
