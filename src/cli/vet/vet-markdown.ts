import { formatTrace, type TrialReport } from '../../core/trials/index.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatPlace, listReading, VERDICT_TEXTS } from './render-vet.ts'
import type { VettedSkill } from './vetted-skill.ts'

/** The report for a pull request. Texts of the skill cannot become markup. */
export function renderVetMarkdown(skills: readonly VettedSkill[]): string {
  return skills
    .map((skill) => {
      const { report } = skill
      const rows = report.findings.map((finding) =>
        [
          `\`${toCode(formatPlace(finding))}\``,
          finding.severity,
          escapeMarkdown(finding.message),
          escapeMarkdown(finding.help ?? ''),
          `\`${finding.rule}\``,
        ].join(' | '),
      )
      return [
        `## ${escapeMarkdown(report.name)}: ${report.verdict}`,
        '',
        `${VERDICT_TEXTS[report.verdict]}.`,
        '',
        ...(rows.length > 0
          ? [
              '| place | severity | finding | to settle it | rule |',
              '|---|---|---|---|---|',
              ...rows.map((row) => `| ${row} |`),
              '',
            ]
          : []),
        ...listReading(skill).map((line) => `- ${escapeMarkdown(line)}`),
        '',
        ...(skill.trials ? renderTrials(skill.trials) : []),
      ].join('\n')
    })
    .join('\n')
}

/** The trace as a code block, which no text of it can end. */
function renderTrials(trials: TrialReport): string[] {
  const lines = formatTrace(trials).trimEnd().split('\n')
  return [...lines.map((line) => `    ${line}`), '']
}

function toCode(text: string): string {
  return toPrintable(text).replace(/[`|]/g, '?')
}

function escapeMarkdown(text: string): string {
  return toPrintable(text)
    .replace(/[\\`*_{}[\]()#!|~]/g, String.raw`\$&`)
    .replace(/[<>&]/g, (mark) => ({ '<': '&lt;', '>': '&gt;' })[mark] ?? '&amp;')
}
