import type { SkillGrant } from '../../core/skills/uploads/grant.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import {
  getFlagOption,
  getListOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'
import { findSkill, resolveReferences } from '../find-skill.ts'
import { openRuntime } from '../runtime.ts'

export const command: CommandDefinition = {
  summary: 'Give a skill that came over the wire its secrets and network',
  details: [
    'Skills that came by create_skill get no secrets and no network until they are granted here.',
    'A grant counts for one version and for its files as they are, and is kept outside of the skill.',
  ].join(' '),
  arguments: [{ syntax: '[skill]', description: 'Name, or name@version; the newest version else' }],
  options: [
    { flags: '--secret <name>', description: 'Grant this secret (repeatable)', isRepeatable: true },
    {
      flags: '--network <entry>',
      description: 'Grant this destination, as in skill.toml',
      isRepeatable: true,
    },
    { flags: '--revoke', description: 'Take away what is named, or everything' },
    { flags: '--list', description: 'Show every grant' },
  ],
  examples: [
    { command: 'skills grant --list', explains: 'Everything that is granted' },
    {
      command:
        'skills grant user.tools.sync@0.1.0 --secret API_KEY --network https://api.example.com',
      explains: 'One version may use one secret and one host',
      notRun: 'needs a skill that came over the wire',
    },
    {
      command: 'skills grant user.tools.sync --revoke',
      explains: 'Takes everything away from the newest version',
      notRun: 'needs a skill that came over the wire',
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
  const grants = await (await (await openRuntime(context)).grants()).list()
  if (context.global.json) context.document('skills.grants/v1', { grants })
  else for (const grant of grants) context.print(describeGrant(grant))
  if (grants.length === 0) context.note('Nothing is granted')
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
    throw new SkillsError('usage/invalid', 'Nothing to grant was named', {
      hint: 'Name it with --secret or --network, or take everything away with --revoke',
    })
  }
  const runtime = await openRuntime(context)
  const entry = await findSkill(resolveReferences(runtime.repository), reference)
  const { changeGrant } = await import('../../core/skills/uploads/change-grant.ts')
  return await changeGrant(runtime, entry, { secrets, network, revoke })
}

function describeGrant({ name, version, secrets, network }: SkillGrant): string {
  const parts = [...secrets.map((each) => `secret ${each}`), ...network]
  return toPrintable(`${name}@${version}: ${parts.join(', ') || 'nothing'}`)
}
