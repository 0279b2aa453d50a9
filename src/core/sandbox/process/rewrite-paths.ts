/**
 * Gives folders that a word names their places on this machine: at its beginning, or behind "=" and
 * ":" as in options and lists of folders; escaped, as in the address of a module, as well.
 */
export function rewritePaths(word: string, places: ReadonlyMap<string, string>): string {
  return word.replace(PATH_IN_ARGUMENT, (whole, before: string, path: string) => {
    const isEscaped = path.startsWith('%2F')
    const plain = isEscaped ? decodeURIComponent(path) : path
    const moved = rewritePath(plain, places)
    if (moved === plain) return whole
    return before + (isEscaped ? encodeURIComponent(moved) : moved)
  })
}

const PATH_IN_ARGUMENT = /(^|[=:])((?:\/|%2F)[\w.+%/-]*)/g

/** The longest folder that holds it decides. */
function rewritePath(path: string, places: ReadonlyMap<string, string>): string {
  const [found] = [...places]
    .filter(([target]) => path === target || path.startsWith(`${target}/`))
    .sort(([a], [b]) => b.length - a.length)
  return found ? found[1] + path.slice(found[0].length) : path
}
