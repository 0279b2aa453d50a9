import { join, relative } from 'node:path'
import { countLines, type SkillCoverage } from './coverage-report.ts'

/** The format of lcov, which editors and coverage services read. Surface has no place in it. */
export function formatLcov(skills: readonly SkillCoverage[], { cwd }: { cwd: string }): string {
  return skills
    .flatMap(({ folder, files, skill }) =>
      files.map((file) => {
        const { covered, total } = countLines(file)
        const lines = [...file.lines].sort(([a], [b]) => a - b)
        return [
          `TN:${skill}`,
          `SF:${removeLineBreaks(relative(cwd, join(folder, file.path)))}`,
          ...lines.map(([line, count]) => `DA:${line},${count}`),
          `LF:${total}`,
          `LH:${covered}`,
          'end_of_record\n',
        ].join('\n')
      }),
    )
    .join('')
}

/** A file name with a line break would add records. */
function removeLineBreaks(path: string): string {
  return path.replaceAll(/[\r\n]/g, '_')
}
