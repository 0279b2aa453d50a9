import { toPrintable } from '../../util/printable.ts'
import {
  addCounts,
  countLines,
  countSurface,
  formatMissedLines,
  toPercent,
  type CoverageCount,
  type SkillCoverage,
} from './coverage-report.ts'

/** A table of files with the lines that no case executed, and the unused parts of the interface. */
export function formatCoverageText(skills: readonly SkillCoverage[]): string {
  return skills.map((skill) => `${describeSkill(skill).join('\n')}\n`).join('\n')
}

function describeSkill(skill: SkillCoverage): string[] {
  const rows = skill.files.map((file) => ({
    name: `  ${toPrintable(file.path)}`,
    count: countLines(file),
    missed: formatMissedLines(file),
  }))
  const surface = countSurface([skill])
  const lines = addCounts(rows.map(({ count }) => count))
  const all = [
    { name: 'lines', count: lines, missed: '' },
    ...rows,
    { name: 'interface', count: surface, missed: '' },
  ]
  const width = Math.max(...all.map(({ name }) => name.length))
  const unused = skill.surface
    .filter(({ isCovered }) => !isCovered)
    .map(({ kind, name }) => `  not used: ${kind} ${toPrintable(name)}`)
  return [
    toPrintable(skill.skill),
    ...all.map(({ name, count, missed }) =>
      `  ${name.padEnd(width)}  ${formatCount(count)}${missed === '' ? '' : `  not executed: ${missed}`}`.trimEnd(),
    ),
    ...unused.map((line) => `  ${line}`),
  ]
}

function formatCount(count: CoverageCount): string {
  const percent = `${toPercent(count).toFixed(1)} %`.padStart(7)
  return `${percent}  ${`${count.covered}/${count.total}`.padStart(9)}`
}
