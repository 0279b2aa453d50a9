import type { CommandDefinition } from '../command.ts'
import { applyConfigPlan, describeBackup, type ConfigOutcome } from './apply-config-plan.ts'
import {
  CHANGE_OPTIONS,
  CLIENT_OPTIONS,
  describeEnvironment,
  readClientRequest,
  type ClientRequest,
} from './client-request.ts'
import type { McpConfigPlan } from '../../mcp/install/plan-change.ts'

export const uninstallCommand: CommandDefinition = {
  summary: 'Remove this server from the configuration of an MCP client',
  details: [
    'Remove this server from the configuration of an MCP client.',
    '',
    '- Only the entry of this server is removed. A server of the same name that',
    '  starts another program is not.',
    '- The change is shown before it is written, and a backup is stored next to',
    '  the file.',
  ].join('\n'),
  options: [...CLIENT_OPTIONS, ...CHANGE_OPTIONS],
  examples: [
    {
      command: 'skills mcp uninstall --client claude-code --dry-run',
      explains: 'Show the change',
    },
    {
      command: 'skills mcp uninstall --client vscode --scope project --yes',
      explains: 'Remove the server of the project',
      notRun: 'changes the configuration of an editor',
    },
  ],
  async run(context, call) {
    const request = readClientRequest(call)
    const { planUninstall } = await import('../../mcp/install/plan-change.ts')
    const plan = planUninstall(request, describeEnvironment(context))
    const outcome = await applyConfigPlan(context, call, plan)
    if (context.global.json) {
      context.document('skills.mcpUninstall/v1', { ...request, file: plan.file, ...outcome })
    } else context.note(describeUninstall(request, plan, outcome))
    return 0
  },
}

function describeUninstall(
  { name }: ClientRequest,
  { title, file }: McpConfigPlan,
  outcome: ConfigOutcome,
): string {
  if (outcome.written) {
    return `${title} no longer starts "${name}", removed from "${file}"${describeBackup(outcome)}`
  }
  return outcome.changed ? `"${file}" is unchanged` : `"${file}" has no server "${name}"`
}
