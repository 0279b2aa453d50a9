import { readRemoteTarget, REMOTE_OPTIONS } from '../access/remote-options.ts'
import { SkillsError } from '../../errors.ts'
import { parseDuration } from '../../util/quantity.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'

const NOT_RUN = 'it needs a runtime that serves'
const TIMEOUT_MS = 60_000

export const command: CommandDefinition = {
  summary: 'Check any runtime against the Skills Protocol',
  details: [
    'Check a Skills Runtime, whoever wrote it, against the specification, one requirement after the other.',
    'It stores small blobs, runs short pieces of code and, where create_skill is offered, leaves one skill named conformance.probe; it removes and changes nothing.',
    'What cannot be seen from outside, such as limits of memory, is not judged.',
    'Exits with 0 where everything that must be is so, with 1 where something is not, with 3 where no runtime answers.',
  ].join(' '),
  options: [
    ...REMOTE_OPTIONS,
    {
      flags: '--format <name>',
      description: 'How to report',
      choices: ['pretty', 'json', 'junit'],
    },
    {
      flags: '--only <name>',
      description: 'Only this requirement, area (rpc, blob) or level (must, should, extension)',
      isRepeatable: true,
    },
    { flags: '--strict', description: 'Fail also for what only should be' },
    { flags: '--timeout <duration>', description: 'Wait so long for each answer (default: "60s")' },
    { flags: '--list', description: 'List the requirements, and check nothing' },
  ],
  examples: [
    {
      command: 'skills conformance --url http://127.0.0.1:8080',
      explains: 'Check a runtime on this machine',
      notRun: NOT_RUN,
    },
    {
      command: 'skills conformance --url https://skills.example.com --format junit --strict',
      explains: 'For a build, also with what only should be',
      notRun: NOT_RUN,
    },
    { command: 'skills conformance --list --only blob', explains: 'What is demanded of blobs' },
  ],
  async run(context, call) {
    const { selectRequirements } = await import('../../conformance/check-runtime.ts')
    const { REQUIREMENTS } = await import('../../conformance/requirements/index.ts')
    const chosen = selectRequirements(REQUIREMENTS, getListOption(call, 'only'))
    const shown = await import('../conformance/report.ts')
    if (getFlagOption(call, 'list')) {
      return shown.showRequirements(
        context,
        REQUIREMENTS.filter(({ id }) => chosen.has(id)),
      )
    }
    const place = readRemoteTarget(context, call)
    if (!place) throw missingUrl()
    const { openClient } = await import('../access/open-remote.ts')
    const { client, token } = openClient(context, call, place)
    const { checkRuntime } = await import('../../conformance/check-runtime.ts')
    const report = shown.openConformanceReport(context, {
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
      chosen,
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
    hint: 'Leave one of them out',
  })
}

function missingUrl(): SkillsError {
  return new SkillsError('usage/invalid', 'Missing the runtime that is to be checked', {
    hint: 'Name it: skills conformance --url http://127.0.0.1:8080',
  })
}

function readTimeout(call: CommandLine): number {
  const text = getTextOption(call, 'timeout')
  const ms = text === undefined ? TIMEOUT_MS : parseDuration(text)
  if (ms !== undefined && ms > 0) return ms
  throw new SkillsError('usage/invalid', `Expected a duration for --timeout, got "${text}"`, {
    hint: 'Write it as 30s, 500ms or 5m',
  })
}
