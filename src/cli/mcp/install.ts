import { getFlagOption, type CommandDefinition } from '../command.ts'
import { applyConfigPlan, describeBackup, type ConfigOutcome } from './apply-config-plan.ts'
import { TOOL_OPTIONS } from './choose-tools.ts'
import {
  CHANGE_OPTIONS,
  CLIENT_OPTIONS,
  describeEnvironment,
  readClientRequest,
} from './client-request.ts'
import { buildServerEntry } from './server-entry.ts'
import type { McpConfigPlan } from '../../mcp/install/plan-change.ts'

export const installCommand: CommandDefinition = {
  summary: 'Configure an MCP client to start this server',
  details: [
    'Configure an MCP client to start this server.',
    '',
    '- The change is shown before it is written.',
    '- Other content of the file stays unchanged, comments included, and a',
    '  backup is stored next to it.',
    '- For the user, the server gets the configuration and skills of the current',
    '  project, unless --root or --config is given.',
    '- For the project, the entry has no path of this machine. It starts the',
    '  package that the project or the machine has installed.',
  ].join('\n'),
  options: [
    ...CLIENT_OPTIONS,
    ...TOOL_OPTIONS,
    { flags: '--allow-network', description: 'Allow skills to use their declared network' },
    { flags: '--secrets-file <file>', description: 'Read secrets from this file' },
    { flags: '--print', description: 'Print the configuration entry; change nothing' },
    ...CHANGE_OPTIONS,
  ],
  examples: [
    {
      command: 'skills mcp install --client claude-code --dry-run',
      explains: 'Show the change',
    },
    {
      command: 'skills mcp install --client cursor --print',
      explains: 'Print the entry to paste it',
    },
    {
      command: 'skills mcp install --client vscode --scope project --yes',
      explains: 'Configure the project for all of its users',
      notRun: 'changes the configuration of an editor',
    },
  ],
  async run(context, call) {
    const selected = readClientRequest(call)
    const request = { ...selected, entry: await buildServerEntry(context, call, selected) }
    const { planInstall, renderSnippet } = await import('../../mcp/install/plan-change.ts')
    if (getFlagOption(call, 'print')) {
      const snippet = renderSnippet(request)
      if (context.global.json) context.document('skills.mcpInstall/v1', { ...request, snippet })
      else context.stdout.write(snippet)
      return 0
    }
    const plan = planInstall(request, describeEnvironment(context))
    const outcome = await applyConfigPlan(context, call, plan)
    if (context.global.json) {
      context.document('skills.mcpInstall/v1', { ...request, file: plan.file, ...outcome })
    } else context.note(describeInstall(plan, outcome))
    if (outcome.written && request.scope === 'project') {
      context.note('Its users need the package: in package.json of the project, or global')
    }
    if (outcome.written) context.note(plan.next)
    return 0
  },
}

function describeInstall({ title, file }: McpConfigPlan, outcome: ConfigOutcome): string {
  if (outcome.written) {
    return `${title} now starts this server, configured in "${file}"${describeBackup(outcome)}`
  }
  return outcome.changed ? `"${file}" is unchanged` : `"${file}" already starts this server`
}
