import { homedir } from 'node:os'
import process from 'node:process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SkillsError } from '../../errors.ts'
import {
  CLIENT_NAMES,
  INSTALL_SCOPES,
  type ClientName,
  type InstallScope,
} from '../../mcp/install/clients.ts'
import type { McpInstallPlan, McpInstallRequest } from '../../mcp/install/plan-install.ts'
import { toPrintableLines } from '../../util/printable.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'
import { openConfig } from '../runtime.ts'
import { chooseTools, TOOL_OPTIONS } from './choose-tools.ts'

const CLI_SCRIPT = fileURLToPath(new URL('../../../bin/skills.js', import.meta.url))

export const installCommand: CommandDefinition = {
  summary: 'Configure an MCP client to start this server',
  details: [
    'Configure an MCP client to start this server.',
    '',
    '- The change is shown before it is written.',
    '- Other content of the file stays unchanged, comments included, and a',
    '  backup is stored next to it.',
    '- The skill folders of the current project are included, unless --root is',
    '  given.',
  ].join('\n'),
  options: [
    {
      flags: '--client <name>',
      description: 'Select the client to configure',
      choices: CLIENT_NAMES,
    },
    {
      flags: '--scope <scope>',
      description: 'Configure it for the user or for the current project',
      choices: INSTALL_SCOPES,
      default: 'user',
    },
    { flags: '--name <name>', description: 'Set the name of the server', default: 'skills' },
    ...TOOL_OPTIONS,
    { flags: '--allow-network', description: 'Allow skills to use their declared network' },
    { flags: '--secrets-file <file>', description: 'Read secrets from this file' },
    { flags: '--print', description: 'Print the configuration entry; change nothing' },
    { flags: '-n, --dry-run', description: 'Show the change; change nothing' },
    { flags: '-y, --yes', description: 'Do not ask for confirmation' },
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
    const request = await readInstallRequest(context, call)
    const { planInstall, renderSnippet } = await import('../../mcp/install/plan-install.ts')
    if (getFlagOption(call, 'print')) {
      const snippet = renderSnippet(request)
      if (context.global.json) context.document('skills.mcpInstall/v1', { ...request, snippet })
      else context.stdout.write(snippet)
      return 0
    }
    const { env, cwd } = context
    const home = env['HOME'] || homedir()
    const plan = planInstall(request, { platform: process.platform, env, cwd, home })
    return await applyInstallPlan(context, call, { request, plan })
  },
}

async function applyInstallPlan(
  context: Context,
  call: CommandLine,
  { request, plan }: { request: McpInstallRequest; plan: McpInstallPlan },
): Promise<number> {
  const { createUnifiedDiff } = await import('../../util/unified-diff.ts')
  const { file, before, after, next } = plan
  const diff = createUnifiedDiff(file.replace(/^\//, ''), before, after)
  const isDry = getFlagOption(call, 'dryRun')
  if (diff !== '' && !context.global.json) showInstallDiff(context, diff, isDry)
  let backup: string | undefined
  const isWritten = diff !== '' && !isDry
  if (isWritten) {
    if (!getFlagOption(call, 'yes')) await confirmInstall(context, plan)
    const { writeConfig } = await import('../../mcp/install/write-config.ts')
    backup = await writeConfig(plan)
  }
  if (context.global.json) {
    const facts = { ...request, file, changed: diff !== '', written: isWritten }
    context.document('skills.mcpInstall/v1', { ...facts, backup: backup ?? null, diff })
  } else context.note(describeInstallOutcome(plan, { isDry, isWritten, backup }))
  if (isWritten) context.note(next)
  return 0
}

/** With --dry-run the diff is the result; before a question it is a notice. */
function showInstallDiff(context: Context, diff: string, isDry: boolean): void {
  const text = toPrintableLines(diff)
  if (isDry) context.print(text)
  else context.stderr.write(`${text}\n`)
}

function describeInstallOutcome(
  { title, file }: McpInstallPlan,
  { isDry, isWritten, backup }: { isDry: boolean; isWritten: boolean; backup: string | undefined },
): string {
  if (isWritten) {
    const backupNote = backup === undefined ? '' : `; backup: "${backup}"`
    return `${title} now starts this server, configured in "${file}"${backupNote}`
  }
  return isDry ? `"${file}" is unchanged` : `"${file}" already starts this server`
}

async function readInstallRequest(context: Context, call: CommandLine): Promise<McpInstallRequest> {
  const client = getTextOption(call, 'client')
  if (client === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the client', {
      hint: `Select it with --client: ${CLIENT_NAMES.join(', ')}`,
    })
  }
  const name = getTextOption(call, 'name') ?? ''
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new SkillsError(
      'usage/invalid',
      `"${name}" is not a valid server name, expected letters, digits, "-" and "_"`,
    )
  }
  const scope = (getTextOption(call, 'scope') ?? 'user') as InstallScope
  const args = [CLI_SCRIPT, 'mcp', ...(await buildServerArgs(context, call, scope))]
  return { client: client as ClientName, scope, name, entry: { command: process.execPath, args } }
}

/** Arguments for starting the server from any working directory. */
async function buildServerArgs(
  context: Context,
  call: CommandLine,
  scope: InstallScope,
): Promise<string[]> {
  // Unknown tools are rejected now, not when the client starts.
  await chooseTools(call)
  const profile = getTextOption(call, 'profile')
  const secrets = getTextOption(call, 'secretsFile')
  return [
    ...(await listServerRoots(context, scope)).flatMap((root) => ['--root', root]),
    ...(context.global.config === undefined
      ? []
      : ['--config', resolve(context.cwd, context.global.config)]),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...getListOption(call, 'tool').flatMap((tool) => ['--tool', tool]),
    ...(getFlagOption(call, 'allowNetwork') ? ['--allow-network'] : []),
    ...(secrets === undefined ? [] : ['--secrets-file', resolve(context.cwd, secrets)]),
  ]
}

async function listServerRoots(context: Context, scope: InstallScope): Promise<string[]> {
  const { root } = context.global
  if (root.length > 0) return root.map((each) => resolve(context.cwd, each))
  // In the project itself they are found by default.
  if (scope === 'project') return []
  const { config } = await openConfig(context)
  return config.roots.filter((each) => each.startsWith(`${context.cwd}/`))
}

async function confirmInstall(context: Context, { file }: McpInstallPlan): Promise<void> {
  if (!context.isInteractive) {
    throw new SkillsError('usage/invalid', `This would change "${file}"`, {
      hint: 'Add --yes to change it, or --dry-run to see the change',
    })
  }
  if (await confirmByPrompt(context, { message: `Change "${file}"?`, initialValue: true })) return
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was changed')
}
