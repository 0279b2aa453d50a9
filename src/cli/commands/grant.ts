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
import { findSkill, parseReference, resolveReferences } from '../find-skill.ts'
import { openRuntime } from '../runtime.ts'

export const command: CommandDefinition = {
  summary: 'Grant secrets and network to an uploaded skill, or give it to another caller',
  details: [
    'Grant secrets and network to an uploaded skill, or give it to another caller.',
    '',
    '- Skills uploaded with create_skill have no secrets and no network without',
    '  a grant.',
    '- A grant applies to one version with unchanged files.',
    '- Grants are stored outside the skill.',
    '- The name of a skill belongs to the caller that uploaded it first: only this',
    '  caller adds versions, until --owner names another one.',
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
    {
      flags: '--owner <token name>',
      description: 'Let the token of this name upload further versions, and no other one',
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
      command: 'skills grant user.tools.sync --owner alice',
      explains: 'Let only the token "alice" add versions',
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
    const owner = getTextOption(call, 'owner')
    if (owner !== undefined) return await changeOwner(context, call, { reference, owner })
    const grant = await applyGrantChange(context, call, reference)
    if (context.global.json) context.document('skills.grant/v1', { grant })
    else context.print(describeGrant(grant))
    return 0
  },
}

async function listGrants(context: Context, call: CommandLine): Promise<number> {
  if (!getFlagOption(call, 'list')) {
    throw new SkillsError('usage/invalid', 'Missing the skill', {
      hint: 'Type "skills grant <skill> --secret <name>", "skills grant <skill> --owner <token name>", or "skills grant --list"',
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

/** Gives the name of a skill, and with it all of its versions to come, to another caller. */
async function changeOwner(
  context: Context,
  call: CommandLine,
  { reference, owner }: { reference: string; owner: string },
): Promise<number> {
  refuseOtherChanges(call)
  if (!/^\S+$/.test(owner)) {
    throw new SkillsError('usage/invalid', `"${owner}" is not the name of a token`, {
      hint: 'Give --owner the second word of its line in the token file, such as "alice"',
    })
  }
  const { name } = parseReference(reference)
  if (isOfFleet(call)) {
    const { transferFleetName } = await import('../fleet/skills/grants.ts')
    await transferFleetName(context, call, { name, owner })
  } else {
    const runtime = await openRuntime(context)
    const entry = await findSkill(resolveReferences(runtime.repository), name)
    const { transferName } = await import('../../core/skills/uploads/change-grant.ts')
    await transferName(runtime, entry, owner)
  }
  if (context.global.json) context.document('skills.owner/v1', { name, owner })
  else context.print(toPrintable(`${name}: ${owner}`))
  return 0
}

function refuseOtherChanges(call: CommandLine): void {
  const isAlone =
    !getFlagOption(call, 'revoke') &&
    getListOption(call, 'secret').length + getListOption(call, 'network').length === 0
  if (isAlone) return
  throw new SkillsError('usage/invalid', '--owner changes no grant', {
    hint: 'Type one command for the owner, and another one for --secret, --network or --revoke',
  })
}

function isOfFleet(call: CommandLine): boolean {
  return getTextOption(call, 'fleet') !== undefined
}

function describeGrant({ name, version, secrets, network }: SkillGrant): string {
  const parts = [...secrets.map((each) => `secret ${each}`), ...network]
  return toPrintable(`${name}@${version}: ${parts.join(', ') || 'nothing'}`)
}
