import { renderCodeFrame } from '../../core/lint/report/code-frame.ts'
import type { Finding } from '../../core/lint/finding.ts'
import { renderSarif } from '../../util/reports/sarif.ts'
import { SAFETY_RULES } from '../../core/lint/rules/safety/index.ts'
import { formatTrialReport } from '../../core/trials/index.ts'
import { PROOF_RULES, type VetVerdict } from '../../core/vetting/index.ts'
import { toPrintable } from '../../util/printable.ts'
import { toSnakeKeys } from '../../util/snake-keys.ts'
import type { Context } from '../context.ts'
import { createPainter } from '../painter.ts'
import { formatPlural } from '../../util/quantity.ts'
import { VERSION } from '../version.ts'
import type { VettedSkill } from './vetted-skill.ts'

interface RenderOptions {
  format: string
  toFile: boolean
}

/** The report in a format, with a line feed at its end. */
export async function renderVetReport(
  context: Context,
  skills: readonly VettedSkill[],
  { format, toFile }: RenderOptions,
): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(toVetDocument(skills), null, 2)}\n`
    case 'sarif':
      return `${toSarif(skills)}\n`
    case 'markdown': {
      const { renderVetMarkdown } = await import('./vet-markdown.ts')
      return renderVetMarkdown(skills)
    }
    case 'html': {
      const { renderVetHtml } = await import('./vet-html.ts')
      return renderVetHtml(skills)
    }
    default:
      return `${skills.map((skill) => renderText(context, skill, toFile)).join('\n\n')}\n`
  }
}

/** Sentences about the verdicts, for every format. */
export const VERDICT_TEXTS: Readonly<Record<VetVerdict, string>> = {
  dangerous: 'it has an instruction or code without an innocent reading',
  suspicious: 'ask the author about each warning before you install it',
  'nothing found':
    'that is no proof that the skill is harmless: see what was read, and what was not',
}

/** The rule of findings that a model made. */
const OPINION_RULE = {
  id: 'model/opinion',
  severity: 'warning',
  what: 'A model that read the skill names a harm, in its own words',
  why: 'Models understand wording that no rule knows.',
  fix: 'Read the place yourself: a model can be wrong, and a text can deceive it.',
} as const

function toVetDocument(skills: readonly VettedSkill[]): object {
  return {
    schema: 'skills.vet/v1',
    skills: skills.map(({ source, report, trials, model }) => ({
      name: report.name,
      source,
      verdict: report.verdict,
      findings: report.findings.map(toJsonFinding),
      suppressed: report.suppressed.map(({ finding, reason }) => ({
        rule: finding.rule,
        path: finding.path,
        start: finding.start ?? null,
        reason: reason ?? null,
      })),
      read: report.read,
      not_read: report.notRead,
      failures: report.failures.map(({ path, message }) => ({ path, message })),
      model: model ?? null,
      trials: trials ? toSnakeKeys(trials) : null,
    })),
  }
}

function toJsonFinding({ rule, severity, certainty, path, start, end, message, help }: Finding) {
  return {
    rule,
    severity,
    certainty: certainty ?? 'likely',
    path,
    start: start ?? null,
    end: end ?? null,
    message,
    help: help ?? null,
  }
}

function toSarif(skills: readonly VettedSkill[]): string {
  return renderSarif(
    {
      findings: skills.flatMap(({ report }) => report.findings),
      failures: skills.flatMap(({ report }) => report.failures),
      notices: skills.map(
        ({ report }) => `${report.name}: ${report.verdict}; ${VERDICT_TEXTS[report.verdict]}`,
      ),
    },
    {
      version: VERSION,
      folder: 'The folder of the skill',
      rules: [...SAFETY_RULES, ...PROOF_RULES, OPINION_RULE],
      manual: 'vetting.md',
    },
  )
}

function renderText(context: Context, skill: VettedSkill, toFile: boolean) {
  const { source, report, texts, trials } = skill
  const paint = createPainter(context, toFile)
  const colors = { dangerous: 'error', suspicious: 'warning', 'nothing found': 'bold' } as const
  const options = { paint, columns: toFile ? 100 : context.columns }
  const verdict = paint(colors[report.verdict], report.verdict)
  return [
    `${verdict}  ${toPrintable(report.name)}  ${paint('dim', toPrintable(source))}`,
    paint('dim', `  ${VERDICT_TEXTS[report.verdict]}`),
    ...report.findings.flatMap((finding) => ['', ...renderFinding(finding, texts, options)]),
    '',
    ...listReading(skill).map((line) => toPrintable(line)),
    ...(trials ? ['', formatTrialReport(trials).trimEnd()] : []),
  ].join('\n')
}

function renderFinding(
  finding: Finding,
  texts: VettedSkill['texts'],
  options: Pick<Parameters<typeof renderCodeFrame>[2], 'paint' | 'columns'>,
): string[] {
  const { paint } = options
  const source = texts.get(finding.file)
  const frameOptions = { ...options, cwd: '', version: VERSION, readSource: () => source }
  return [
    `${paint('underline', toPrintable(formatPlace(finding)))}  ${paint(finding.severity, finding.severity)}  ${toPrintable(finding.message)}  ${paint('dim', `${finding.rule}, ${finding.certainty ?? 'likely'}`)}`,
    ...(source === undefined ? [] : renderCodeFrame(finding, source, frameOptions)),
    ...(finding.help ? [`  ${paint('dim', 'to settle it:')} ${toPrintable(finding.help)}`] : []),
  ]
}

/** Path and line of a finding. */
export function formatPlace({ path, start }: Finding): string {
  return start ? `${path}:${start.line}:${start.column}` : path
}

const MAX_LISTED = 10

/** Sentences about what was read, what was not, and what the skill tried to suppress. */
export function listReading({ report, trials, model }: VettedSkill): string[] {
  const { read, notRead, suppressed, failures } = report
  return [
    `read: ${formatPlural(read.length, 'file')}${model === undefined ? '' : `, by the rules and by ${model}`}`,
    ...notRead.slice(0, MAX_LISTED).map(({ path, reason }) => `not read: ${path} (${reason})`),
    ...(notRead.length > MAX_LISTED ? [`not read: ${notRead.length - MAX_LISTED} more`] : []),
    ...suppressed
      .slice(0, MAX_LISTED)
      .map(
        ({ finding, reason }) =>
          `the skill suppresses ${finding.rule} in ${formatPlace(finding)}${reason ? ` (${reason})` : ''}; that does not count here`,
      ),
    ...failures.map(({ message }) => message),
    ...(trials ? [] : ['not executed: what the skill does when it runs can differ; see --run']),
  ]
}
