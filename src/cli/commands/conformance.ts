import { readRemoteTarget, REMOTE_OPTIONS } from '../access/remote-options.ts'
import { SkillsError } from '../../errors.ts'
import { parseDurationOption } from '../../util/quantity.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'

const NOT_RUN = 'it needs a running server'
const TIMEOUT_MS = 60_000

export const command: CommandDefinition = {
  summary: 'Check a runtime against the Skills Protocol',
  details: [
    'Check a runtime against the Skills Protocol.',
    '',
    'The checks',
    '- store small blobs',
    '- run short pieces of code',
    '- create one skill named conformance.p and random digits, if create_skill is',
    '  available',
    '- change and remove nothing else',
    '',
    'Properties that are invisible from outside, such as memory limits, are not',
    'checked.',
  ].join('\n'),
  options: [
    ...REMOTE_OPTIONS,
    {
      flags: '--format <name>',
      description: 'Select the report format',
      choices: ['pretty', 'json', 'junit'],
    },
    {
      flags: '--only <name>',
      description:
        'Check only this requirement, area (rpc, blob) or level (must, should, extension)',
      isRepeatable: true,
    },
    { flags: '--strict', description: 'Also fail for unmet "should" requirements' },
    {
      flags: '--timeout <duration>',
      description: 'Limit the wait for each response (default: "60s")',
    },
    { flags: '--list', description: 'List the requirements without checking them' },
  ],
  examples: [
    {
      command: 'skills conformance --url http://127.0.0.1:8080',
      explains: 'Check a local runtime',
      notRun: NOT_RUN,
    },
    {
      command: 'skills conformance --url https://skills.example.com --format junit --strict',
      explains: 'Check in CI, "should" requirements included',
      notRun: NOT_RUN,
    },
    {
      command: 'skills conformance --list --only blob',
      explains: 'List the requirements for blobs',
    },
  ],
  async run(context, call) {
    const { selectRequirements } = await import('../../conformance/check-runtime.ts')
    const { REQUIREMENTS } = await import('../../conformance/requirements/index.ts')
    const selectedIds = selectRequirements(REQUIREMENTS, getListOption(call, 'only'))
    const reports = await import('../conformance/report.ts')
    if (getFlagOption(call, 'list')) {
      return reports.showRequirements(
        context,
        REQUIREMENTS.filter(({ id }) => selectedIds.has(id)),
      )
    }
    const target = readRemoteTarget(context, call)
    if (!target) throw missingUrlError()
    const { openClient } = await import('../access/open-remote.ts')
    const { client, token } = openClient(context, call, target)
    const { checkRuntime } = await import('../../conformance/check-runtime.ts')
    const report = reports.openConformanceReport(context, {
      url: client.url,
      format: readFormat(context, call),
      isStrict: getFlagOption(call, 'strict'),
    })
    const findings = await checkRuntime({
      url: new URL(client.url),
      token,
      timeoutMs: readTimeout(call),
      signal: context.signal,
      requirements: REQUIREMENTS,
      selectedIds,
      onFinding: report.onFinding,
    })
    return report.finish(findings)
  },
}

function readFormat({ global }: Context, call: CommandLine): string {
  const format = getTextOption(call, 'format')
  if (!global.json) return format ?? 'pretty'
  if (format === undefined || format === 'json') return 'json'
  throw new SkillsError('usage/invalid', `Expected --json or --format ${format}, got both`, {
    hint: 'Remove one of them',
  })
}

function missingUrlError(): SkillsError {
  return new SkillsError('usage/invalid', 'Missing the URL of the runtime to check', {
    hint: 'Add it: skills conformance --url http://127.0.0.1:8080',
  })
}

function readTimeout(call: CommandLine): number {
  const text = getTextOption(call, 'timeout')
  const ms = text === undefined ? TIMEOUT_MS : parseDurationOption(text)
  if (ms !== undefined && ms > 0) return ms
  throw new SkillsError('usage/invalid', `Expected a duration for --timeout, got "${text}"`, {
    hint: 'Write it as 30 (seconds), 30s, 500ms or 5m',
  })
}
