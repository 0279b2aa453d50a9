import type { Signal } from '../signal.ts'
import { describes } from '../prose/read-prose.ts'
import { SUBJECTS } from '../prose/subjects.ts'
import type { SafetySource } from '../safety-finding.ts'
import { findCarriers, type FoldedStatement } from './carriers.ts'

/** Folders of the user, as a list or in a loop, and the home folder itself. */
const FOLDERS =
  /["']~(?:\/(?:Documents|Desktop|Downloads|Pictures|Photos|Music|Movies|Videos)\/?)?["']\)?\.(?:r?glob|iterdir|walk)\(|(?:=\s*[[(]|\bfor\b)[^\n]{0,200}(?:\/var\/backups|~\/\.local\/share\/Trash)|(?:=\s*[[(]|\bfor\b|\bos\.walk|\brglob|readdir)[^\n]{0,600}(?:["'\s](?:~|\$\{?HOME\}?)["']?\/(?:Documents|Desktop|Downloads|Pictures|Photos|Music|Movies|Videos|[Bb]ackups?|projects?|work|\.ssh|\.gnupg|\.aws)\b["'/]?(?=[\s,;)\]"']|$))/
const LOSES =
  /\brm\s+-\w*r|\brmtree\(|\brm(?:dir)?Sync\(|\bunlink(?:Sync)?\(|\.remove\(|\bshred\b|\bfind\s[^\n]{0,100}(?:-delete|-exec\s+(?:rm|shred))|\.write_bytes\(|\bopen\([^)\n]{1,80},\s*["']wb["']\)\.write\(|\.(?:with_suffix|rename)\([^\n]{0,60}\+\s*["']\.|\btruncate\b/

/** Characters before a call, which may name its object. */
const NAME_LENGTH = 24

/** Folders of the user that are deleted or overwritten through a name. */
export function findLosses(
  skill: SafetySource,
  statements: readonly FoldedStatement[],
): (Pick<Signal, 'class' | 'severity' | 'message' | 'help'> & {
  statement: FoldedStatement
})[] {
  const sources = statements.filter(({ text }) => FOLDERS.test(text))
  if (sources.length === 0) return []
  const losing = statements.filter(({ text, mayHarm }) => mayHarm && LOSES.test(text))
  if (losing.length === 0) return []
  const names = findCarriers(statements, new Map(sources.map((each) => [each, true])))
  const severity = describes(skill, SUBJECTS.destruction) ? 'info' : 'warning'
  return losing.flatMap((statement) => {
    const at = LOSES.exec(statement.text)?.index ?? 0
    const lost = statement.text.slice(Math.max(0, at - NAME_LENGTH))
    if (!names.some(({ pattern }) => pattern.test(lost))) return []
    return [
      {
        statement,
        class: 'destruction' as const,
        severity,
        message: 'The code deletes or overwrites folders of the user',
        help: 'Delete only what the skill created',
      },
    ]
  })
}
