import { getFlagOption, type CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import type { ProjectChange } from '../../core/project-files/init-project.ts'

export const command: CommandDefinition = {
  summary: 'Set up a project: configuration, hook, CI, schemas',
  details: [
    'Set up a project in this folder: skills.config.toml, a pre-commit hook, a',
    'workflow for GitHub Actions, and JSON Schemas for editors.',
    '',
    'Nothing is overwritten. Missing entries are added to existing files; for',
    'the others the command prints what to add. Repeating it changes nothing.',
  ].join('\n'),
  options: [{ flags: '--dry-run', description: 'Show the changes, write nothing' }],
  examples: [
    { command: 'skills init --dry-run', explains: 'Show what would be written' },
    { command: 'skills init', explains: 'Write what is missing' },
  ],
  async run(context, call) {
    const { applyChanges, planProject } = await import('../../core/project-files/init-project.ts')
    const isDryRun = getFlagOption(call, 'dryRun')
    const changes = planProject(context.cwd)
    if (!isDryRun) applyChanges(context.cwd, changes)
    const next = listNextCommands(changes)
    if (context.global.json) {
      context.document('skills.init/v1', {
        dryRun: isDryRun,
        files: changes.map(({ path, purpose, action, advice }) => ({
          path,
          purpose,
          action,
          ...(advice !== undefined && { advice }),
        })),
        next,
      })
      return 0
    }
    for (const change of changes) context.print(formatChange(context, change, isDryRun))
    context.print(`Next:\n${next.map((line) => `  ${line}`).join('\n')}`)
    return 0
  },
}

function formatChange(
  { style }: Context,
  { path, purpose, action, advice }: ProjectChange,
  isDryRun: boolean,
): string {
  const words = isDryRun
    ? {
        create: 'Would create',
        extend: 'Would extend',
        unchanged: 'Unchanged',
        kept: 'Not changed',
      }
    : { create: 'Created', extend: 'Extended', unchanged: 'Unchanged', kept: 'Not changed' }
  return `${words[action]} ${path} ${style.dim(`(${purpose})`)}${advice === undefined ? '' : `: ${advice}`}`
}

/** Commands that the files need, except where they were complete before. */
function listNextCommands(changes: readonly ProjectChange[]): string[] {
  const isNew = (end: string) =>
    changes.some(({ path, action }) => path.includes(end) && action !== 'unchanged')
  return ['skills new demo.hello', ...(isNew('.pre-commit-config') ? ['pre-commit install'] : [])]
}
