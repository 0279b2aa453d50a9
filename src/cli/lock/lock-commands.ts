import { FOREIGN_FORMATS } from '../../core/installing/exchange/foreign-lock.ts'
import type { CommandDefinition } from '../command.ts'

const GLOBAL_FLAGS = '-g, --global'

export const IMPORT_LOCK: CommandDefinition = {
  summary: 'Install the skills of skills-lock.json or .skill-lock.json',
  details: [
    'Install the skills of skills-lock.json or .skill-lock.json, which the npm',
    'package "skills" and "gh skill" write.',
    '',
    '- Each skill is fetched from its source and shown, and you are asked, as',
    '  with "skills install". Without a terminal, --trust or --yes is needed:',
    '  otherwise the skill is parked, with exit status 4.',
    '- A folder in .agents/skills is taken over if its files are those of the',
    '  source, and otherwise kept.',
    '- Entries without a source that is known here are listed with the reason,',
    '  with exit status 3.',
    '- The hashes of the file prove nothing: other files are reported.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[file]',
      description:
        'File to read (default: skills-lock.json of the project, or ~/.agents/.skill-lock.json with --global)',
    },
  ],
  options: [
    { flags: '-y, --yes', description: 'Agree to whatever the sources have now' },
    {
      flags: '--trust <digest>',
      description: 'Agree to the files with this digest (repeatable)',
      isRepeatable: true,
    },
    { flags: GLOBAL_FLAGS, description: 'Install into your own ~/.agents/skills' },
    { flags: '--dry-run', description: 'Fetch and compare, but change nothing' },
  ],
  examples: [
    {
      command: 'skills lock import --dry-run',
      explains: 'Show what skills-lock.json would install',
      notRun: 'it needs skills-lock.json',
    },
    {
      command: 'skills lock import ~/.agents/.skill-lock.json --global',
      explains: 'Take over the skills of a user',
      notRun: 'it needs a lock of another tool',
    },
  ],
  async run(context, call) {
    const { importLock } = await import('./import-lock.ts')
    return await importLock(context, call)
  },
}

export const EXPORT_LOCK: CommandDefinition = {
  summary: 'Write skills.lock as skills-lock.json or .skill-lock.json',
  details: [
    'Write skills.lock as skills-lock.json or .skill-lock.json.',
    '',
    '- Each skill is read from its source again: the hashes of these formats cover',
    '  files that are not installed here.',
    '- Skills whose source the format does not have are listed with the reason.',
    '- Other entries of the file are kept. An entry of another source is replaced',
    '  with --force only.',
  ].join('\n'),
  options: [
    {
      flags: '--format <format>',
      description: 'Format (default: skills-lock, or skill-lock with --global)',
      choices: FOREIGN_FORMATS,
    },
    {
      flags: '--out <file>',
      description: 'File to write (default: the one that the other tool reads)',
    },
    { flags: GLOBAL_FLAGS, description: 'Export what is installed in ~/.agents/skills' },
    { flags: '--force', description: 'Replace entries of other sources' },
  ],
  examples: [
    {
      command: 'skills lock export',
      explains: 'Write skills-lock.json next to skills.lock',
      notRun: 'it needs installed skills',
    },
    {
      command: 'skills lock export --format skill-lock --out ./skill-lock.json --json',
      explains: 'Write the format of a user to another file, and print JSON',
      notRun: 'it needs installed skills',
    },
  ],
  async run(context, call) {
    const { exportLock } = await import('./export-lock.ts')
    return await exportLock(context, call)
  },
}

export const MERGE_LOCK: CommandDefinition = {
  summary: 'Resolve the conflicts of a git merge in skills.lock',
  details: [
    'Resolve the conflicts of a git merge in skills.lock, skill by skill: additions,',
    'updates and removals of both sides are kept.',
    '',
    '- If both sides changed a skill in another way, --ours or --theirs decides.',
    '- Nothing is installed: type "skills install" afterwards.',
  ].join('\n'),
  options: [
    {
      flags: '--ours',
      description: 'Choose the side that git calls ours for skills that both changed',
    },
    { flags: '--theirs', description: 'Choose the side that git calls theirs for these skills' },
    { flags: GLOBAL_FLAGS, description: 'Merge ~/.agents/skills.lock' },
  ],
  examples: [
    {
      command: 'skills lock merge && git add skills.lock && skills install',
      explains: 'End a merge that stopped at skills.lock',
      notRun: 'it needs a conflict',
    },
  ],
  async run(context, call) {
    const { mergeLock } = await import('./merge-lock.ts')
    return await mergeLock(context, call)
  },
}
