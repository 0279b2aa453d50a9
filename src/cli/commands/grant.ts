import type { SkillGrant } from '../../core/skills/uploads/grant.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'
import { findSkill, resolveReferences } from '../find-skill.ts'
import { openRuntime } from '../runtime.ts'

export const command: CommandDefinition = {
  summary: 'Grant secrets and network to an uploaded skill',
  details: [
    'Grant secrets and network to an uploaded skill.',
    '',
    '- Skills uploaded with create_skill have no secrets and no network without',
    '  a grant.',
    '- A grant applies to one version with unchanged files.',
    '- Grants are stored outside the skill.',
    '- With --fleet, the skill is one of the catalog of a fleet, pushed or uploaded,',
    '  and is named as name@version.',
  ].join('\n'),
  arguments: [
    { syntax: '[skill]', description: 'Name or name@version (default: the newest version)' },
  ],
  options: [
    {
      flags: '--secret <name>',
      description: 'Grant this secret (repeatable)',
      completes: 'secrets',
      isRepeatable: true,
    },
    {
      flags: '--network <entry>',
      description: 'Grant this destination, in the notation of skill.toml (repeatable)',
      isRepeatable: true,
    },
    { flags: '--revoke', description: 'Revoke the grants of --secret and --network, or all' },
    { flags: '--list', description: 'List every grant' },
    {
      flags: '--fleet <url>',
      description: 'Change the grants of the fleet whose engine has this address',
    },
  ],
  examples: [
    { command: 'skills grant --list', explains: 'List every grant' },
    {
      command:
        'skills grant user.tools.sync@0.1.0 --secret API_KEY --network https://api.example.com',
      explains: 'Grant one secret and one host to one version',
      notRun: 'needs an uploaded skill',
    },
    {
      command: 'skills grant user.tools.sync --revoke',
      explains: 'Revoke every grant of the newest version',
      notRun: 'needs an uploaded skill',
    },
    {
      command: 'skills grant user.tools.sync@0.1.0 --secret API_KEY --fleet nats://127.0.0.1:4222',
      explains: 'Grant a secret on all nodes of a fleet',
      notRun: 'it needs an engine',
    },
  ],
  async run(context, call) {
    const [reference] = call.args
    if (reference === undefined) return await listGrants(context, call)
    const grant = await applyGrantChange(context, call, reference)
    if (context.global.json) context.document('skills.grant/v1', { grant })
    else context.print(describeGrant(grant))
    return 0
  },
}

async function listGrants(context: Context, call: CommandLine): Promise<number> {
  if (!getFlagOption(call, 'list')) {
    throw new SkillsError('usage/invalid', 'Missing the skill', {
      hint: 'Type "skills grant <skill> --secret <name>", or "skills grant --list"',
    })
  }
  const grants = isOfFleet(call)
    ? await (await import('../fleet/skills/grants.ts')).listFleetGrants(context, call)
    : await (await (await openRuntime(context)).grants()).list()
  if (context.global.json) context.document('skills.grants/v1', { grants })
  else for (const grant of grants) context.print(describeGrant(grant))
  if (grants.length === 0) context.note('No grants')
  return 0
}

async function applyGrantChange(
  context: Context,
  call: CommandLine,
  reference: string,
): Promise<SkillGrant> {
  const [secrets, network] = [getListOption(call, 'secret'), getListOption(call, 'network')]
  const revoke = getFlagOption(call, 'revoke')
  if (!revoke && secrets.length + network.length === 0) {
    throw new SkillsError('usage/invalid', 'Missing the grant', {
      hint: 'Add --secret or --network, or revoke everything with --revoke',
    })
  }
  if (isOfFleet(call)) {
    const { changeFleetGrant } = await import('../fleet/skills/grants.ts')
    return await changeFleetGrant(context, call, { secrets, network, revoke })
  }
  const runtime = await openRuntime(context)
  const entry = await findSkill(resolveReferences(runtime.repository), reference)
  const { changeGrant } = await import('../../core/skills/uploads/change-grant.ts')
  return await changeGrant(runtime, entry, { secrets, network, revoke })
}

function isOfFleet(call: CommandLine): boolean {
  return getTextOption(call, 'fleet') !== undefined
}

function describeGrant({ name, version, secrets, network }: SkillGrant): string {
  const parts = [...secrets.map((each) => `secret ${each}`), ...network]
  return toPrintable(`${name}@${version}: ${parts.join(', ') || 'nothing'}`)
}
