import type { Rule } from '../../rule.ts'

export const CASE_COLLISION: Rule = {
  id: 'files/case-collision',
  severity: 'warning',
  what: 'Two paths differ only in upper and lower case',
  why: 'On macOS and Windows one of them overwrites the other.',
  example: { bad: { 'resources/Notes.md': 'a\n', 'resources/notes.md': 'b\n' }, good: {} },
  fix: 'Rename one of them.',
  check(skill, report) {
    const seen = new Map<string, string>()
    for (const { path } of skill.files) {
      const key = path.normalize('NFC').toLowerCase()
      const other = seen.get(key)
      if (other === undefined) seen.set(key, path)
      else if (!isManifestTwin(path, other)) {
        report({
          file: path,
          message: `"${path}" and "${other}" differ only in upper and lower case`,
          help: 'Rename one of them',
        })
      }
    }
  },
}

/** A second SKILL.md in other case is reported by another rule. */
function isManifestTwin(path: string, other: string): boolean {
  return (
    ['skill.md', 'skill.toml'].includes(path.toLowerCase()) &&
    path.toLowerCase() === other.toLowerCase()
  )
}
