import type { CommandHandle } from '../access/command-handle.ts'
import { openRemoteHandle } from '../access/open-remote-handle.ts'
import { refuseLocalOptions, REMOTE_OPTIONS } from '../access/remote-options.ts'
import {
  type CommandDefinition,
  type CommandLine,
  getFlagOption,
  getTextOption,
} from '../command.ts'
import type { Context } from '../context.ts'
import { resolveSkillNames } from '../skill-targets.ts'
import { buildLintRequest, buildRemoteReportRequest, REPORT_NAMES } from '../lint-request.ts'

export const command: CommandDefinition = {
  summary: 'Check skills and fix findings',
  details: [
    'Check skills and fix findings.',
    '',
    '- Paths are skills, folders of skills, or files in skills. Without paths,',
    '  the skills of the project are checked.',
    '- Columns count UTF-16 units.',
    '- --quiet shows errors only.',
    '- With --url, a server checks its skills, by name and with its own',
    '  configuration. Fixes happen where the files are. SKILLS_URL is not used.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[path...]',
      description:
        'Skills by name or folder, folders of skills, or files in skills (default: the project); names with --url',
    },
  ],
  options: [
    { flags: '--fix', description: 'Apply fixes that keep the meaning' },
    { flags: '--fix-unsafe', description: 'Also apply fixes that may change the meaning' },
    { flags: '--diff', description: 'Show the changes of the fixes without writing them' },
    {
      flags: '--add-suppressions',
      description: 'Write comments that suppress all findings',
    },
    { flags: '--baseline <file>', description: 'Omit the findings that this file lists' },
    { flags: '--write-baseline', description: 'List all present findings in the baseline' },
    { flags: '--update-baseline', description: 'Remove fixed findings from the baseline' },
    { flags: '--format <name>', description: 'Select the report format', choices: REPORT_NAMES },
    { flags: '--output-file <file>', description: 'Write the report to this file' },
    {
      flags: '--rule <id=level>',
      description: 'Set a rule or an area to error, warning, info or off (repeatable)',
      completes: 'rule-levels',
      isRepeatable: true,
    },
    {
      flags: '--select <rules>',
      description: 'Run only these rules or areas (comma-separated, repeatable)',
      completes: 'rules',
      isRepeatable: true,
    },
    {
      flags: '--ignore <rules>',
      description: 'Skip these rules or areas (comma-separated, repeatable)',
      completes: 'rules',
      isRepeatable: true,
    },
    {
      flags: '--profile <names>',
      description:
        'Check for these hosts: agent-skills, claude-api, claude-code, codex, copilot, mcp, openai (comma-separated, repeatable)',
      isRepeatable: true,
    },
    { flags: '--max-warnings <n>', description: 'Accept up to this many warnings' },
    {
      flags: '--skip-outside',
      description: 'Skip paths outside skills, for commit hooks',
    },
    {
      flags: '--deleted',
      description: 'Also check the skills from which the commit in preparation deletes files',
    },
    { flags: '--watch', description: 'Check again after every change, until Ctrl-C' },
    { flags: '--statistics', description: 'Print counts by rule instead of findings' },
    { flags: '--stdin', description: 'Check the text on standard input instead of a file' },
    { flags: '--stdin-filename <file>', description: 'Use this file name for --stdin' },
    {
      flags: '--explain <rule>',
      description: 'Explain a rule: what it checks, why, and the fix',
      completes: 'rules',
    },
    { flags: '--rules [area]', description: 'List the rules, or those of one area' },
    ...REMOTE_OPTIONS,
  ],
  examples: [
    { command: 'skills lint', explains: 'Check every skill of this project' },
    {
      command: 'skills lint skills/greet --fix',
      explains: 'Check one skill and apply safe fixes',
    },
    {
      command: 'skills lint --format sarif --output-file lint.sarif',
      explains: 'Write a report for code scanning',
    },
    {
      command: 'skills lint --profile claude-code,codex',
      explains: 'Check keys and values of two hosts',
    },
    { command: 'skills lint --explain naming/invalid-name', explains: 'Explain a rule' },
    { command: 'skills lint --rules permissions', explains: 'List the rules of an area' },
    {
      command: 'skills lint demo.greet --url http://127.0.0.1:8080',
      explains: 'Check a skill of a server',
      notRun: 'it needs a server',
    },
  ],
  async run(context, call) {
    const area = call.options['rules']
    if (area !== undefined) {
      const { listRules } = await import('../lint/list-rules.ts')
      return listRules(context, area === true ? undefined : String(area))
    }
    const rule = getTextOption(call, 'explain')
    if (rule !== undefined) {
      const { explainRule } = await import('../ui/rule-page.ts')
      return explainRule(context, rule)
    }
    const remote = await openRemoteHandle(context, call)
    if (remote) return await checkRemotely(context, call, remote)
    const named = await resolveSkillNames(context, call)
    if (getFlagOption(call, 'watch')) {
      const { watchLint } = await import('../lint/watch-lint.ts')
      return await watchLint(context, named)
    }
    const request = await buildLintRequest(context, named)
    const { runLint, concludeLint } = await import('../lint/run-lint.ts')
    const { result, output } = await runLint(context, named, request)
    if (output !== '') context.stdout.write(output)
    const { noteExposedSecrets } = await import('../lint/note-exposed-secrets.ts')
    await noteExposedSecrets(context, request.options.config.secrets.file)
    return concludeLint(context, named, { request, result })
  },
}

async function checkRemotely(
  context: Context,
  call: CommandLine,
  remote: CommandHandle,
): Promise<number> {
  const { LOCAL_LINT_OPTIONS, lintRemote } = await import('../lint/lint-remote.ts')
  refuseLocalOptions(
    call,
    { url: getTextOption(call, 'url') ?? '', source: '--url' },
    LOCAL_LINT_OPTIONS,
  )
  const request = buildRemoteReportRequest(context, call)
  const { concludeLint, reportLint } = await import('../lint/run-lint.ts')
  const { REPORTERS } = await import('../../core/lint/report/index.ts')
  const { result, readSource } = await lintRemote(
    remote,
    call.args,
    REPORTERS.find(({ name }) => name === request.format)?.showsSource === true,
  )
  const output = await reportLint(context, call, { request, result, readSource })
  if (output !== '') context.stdout.write(output)
  return concludeLint(context, call, { request, result })
}
