import { LineIndex } from '../../util/line-index.ts'
import { formatTrace } from '../../core/trials/index.ts'
import { toPrintable } from '../../util/printable.ts'
import { renderHtmlPage } from '../../util/reports/html.ts'
import { escapeXml } from '../../util/xml.ts'
import type { Finding } from '../../core/lint/finding.ts'
import { formatPlace, listReading, VERDICT_TEXTS } from './render-vet.ts'
import type { VettedSkill } from './vetted-skill.ts'

const STYLE =
  '.dangerous,.error{color:#cf222e}.suspicious,.warning{color:#9a6700}.info{color:#0969da}'

export function renderVetHtml(skills: readonly VettedSkill[]): string {
  const title = `skills vet: ${skills.map(({ report }) => `${report.name} ${report.verdict}`).join(', ')}`
  return renderHtmlPage(toPrintable(title.slice(0, 200)), STYLE, skills.flatMap(renderSkill))
}

function escape(text: string): string {
  return escapeXml(toPrintable(text))
}

function renderSkill(skill: VettedSkill): string[] {
  const { report, source, texts, trials } = skill
  return [
    `<h1><span class="${report.verdict.split(' ')[0]}">${report.verdict}</span> ${escape(report.name)}</h1>`,
    `<p>${escape(source)}: ${VERDICT_TEXTS[report.verdict]}</p>`,
    ...report.findings.flatMap((finding) => renderFindingHtml(finding, texts.get(finding.file))),
    '<ul>',
    ...listReading(skill).map((line) => `<li>${escape(line)}</li>`),
    '</ul>',
    ...(trials ? [`<h2>Trace</h2><pre>${escapeXml(formatTrace(trials))}</pre>`] : []),
  ]
}

const MAX_LINE = 400

function renderFindingHtml(finding: Finding, text: string | undefined): string[] {
  const { severity, message, rule, help, start } = finding
  const line = text !== undefined && start ? new LineIndex(text).getLine(start.line) : undefined
  return [
    `<h2><span class="${severity}">${severity}</span> ${escape(message)}</h2>`,
    `<p><code>${escape(formatPlace(finding))}</code> ${escape(rule)}, ${finding.certainty ?? 'likely'}</p>`,
    ...(line === undefined ? [] : [`<pre>${escape(line.slice(0, MAX_LINE))}</pre>`]),
    ...(help ? [`<p>To settle it: ${escape(help)}</p>`] : []),
  ]
}
