import type { SkillDescription } from '../../runtime-handle/handle.ts'
import { toSnakeKeys } from '../../util/snake-keys.ts'
import { openHandle } from '../access/open-handle.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import { getFlagOption, type CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkill } from '../find-skill.ts'
import { describePermissions } from '../ui/describe-permissions.ts'

export const command: CommandDefinition = {
  summary: 'Show what a skill does and its permissions',
  details: [
    'Show what a skill does and its permissions.',
    '',
    'The page contains the manifest, inputs, permissions, documentation and',
    'files.',
  ].join('\n'),
  arguments: [{ syntax: '<skill>', description: 'Name, name@version, or folder of a skill' }],
  options: [
    { flags: '--full', description: 'Show the whole documentation and every file' },
    ...REMOTE_OPTIONS,
  ],
  examples: [
    { command: 'skills describe demo.greet', explains: 'Show the newest version of a skill' },
    {
      command: 'skills describe demo.greet@0.1.0 --full',
      explains: 'Show one version completely',
    },
    { command: 'skills describe ./skills/greet', explains: 'Show a local skill folder' },
    { command: 'skills describe demo.greet --json', explains: 'Print the same as JSON' },
    {
      command: 'skills describe demo.greet --url http://127.0.0.1:8080',
      explains: 'Show a skill of a remote runtime',
      notRun: 'it needs a running server',
    },
  ],
  async run(context, call) {
    const { skills } = await openHandle(context, call, { takesReferences: true })
    const skill = await findSkill(skills, call.args[0] ?? '')
    const full = getFlagOption(call, 'full')
    const description = await skills.describe(skill)
    if (context.global.json)
      context.document('skills.skill/v1', toDescriptionRecord(description, full))
    else await showDescription(context, description, full)
    return 0
  },
}

function toDescriptionRecord(description: SkillDescription, full: boolean) {
  const { manifest, versions, files, markdown, dir, root } = description
  const {
    toml,
    frontMatter,
    shortDescription,
    unknownKeys,
    runtime,
    permissions: { secretUses, ...permissions },
    examples = [],
    ...fields
  } = manifest
  return {
    skill: {
      ...fields,
      runtime: toSnakeKeys(runtime),
      permissions: { ...permissions, ...(secretUses && { secret_uses: secretUses }) },
      examples: examples.map(({ description: text, args, result, error }) => {
        return { description: text, args, result, error }
      }),
      short_description: shortDescription,
      unknown_keys: unknownKeys,
      may_do: describePermissions(manifest),
      dir,
      root,
      versions,
      manifest: toml,
      skill_md_frontmatter: frontMatter,
      files,
      ...(full ? { skill_md: markdown ?? null } : {}),
    },
  }
}

async function showDescription(
  context: Context,
  description: SkillDescription,
  full: boolean,
): Promise<void> {
  const { renderDescription } = await import('../ui/description.ts')
  const columns = context.stdout.isTTY === true ? context.columns : Math.max(40, context.columns)
  const wrapsCode = context.stdout.columns !== undefined || Boolean(context.env['COLUMNS'])
  const page = { columns, wrapsCode, style: context.style }
  context.print(await renderDescription(description, { page, full }))
}
