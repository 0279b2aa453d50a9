/** Absolute paths of at least two parts; what a sandbox shows to a skill is no secret. */
const ABSOLUTE_PATH = /(?<![\w.:/])\/(?!skills\/|workspace\b|blobs\/)[\w.@+-]+(?:\/[\w.@+-]+)+/g

/** Makes a function that takes this machine's paths out of a text. */
export function createPathMask(privateFolders: readonly string[]): (text: string) => string {
  const folders = [...new Set(privateFolders)]
    .filter((each) => each.length > 1)
    .sort((a, b) => b.length - a.length)
  return (text) => {
    if (!text.includes('/')) return text
    const without = folders.reduce((left, folder) => left.replaceAll(folder, '…'), text)
    return without.replace(ABSOLUTE_PATH, '…')
  }
}
