import { isSearchedFolder } from '../../util/searched-folders.ts'

/**
 * Returns a function that finds the skill to which a path belongs: the outermost folder with a
 * manifest, or undefined for a path outside of skills. Empty if the root is a skill.
 */
export function createSkillFinder(paths: readonly string[]): (path: string) => string | undefined {
  const folders = new Set(
    paths
      .filter((path) => /(?:^|\/)(?:SKILL\.md|skill\.toml)$/.test(path))
      .map((path) => path.split('/').slice(0, -1))
      .filter((names) => names.every(isSearchedFolder))
      .map((names) => names.join('/')),
  )
  return (path) => {
    if (folders.has('')) return ''
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
      if (folders.has(path.slice(0, at))) return path.slice(0, at)
    }
    return undefined
  }
}
