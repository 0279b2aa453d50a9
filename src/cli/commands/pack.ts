import { FORMAT_NAMES } from '../../core/packing/formats.ts'
import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Write a skill as archives that are the same on every machine',
  details: [
    'Write a skill as archives that are the same on every machine.',
    '',
    '- tar.gz and zip have SKILL.md at their root, skill and oci have all files',
    '  in a folder with the name of the skill.',
    '- Tests, caches, packages, files of editors and of version control, and',
    '  .env stay out.',
    '- A skill with lint errors is refused, and so are links and names that not',
    '  every system allows.',
    '- A file of the same name with other content is kept: raise the version.',
  ].join('\n'),
  arguments: [{ syntax: '<skill...>', description: 'Names or folders of skills' }],
  options: [
    {
      flags: '-o, --out <dir>',
      description: 'Write the archives into this folder (default: the current one)',
    },
    {
      flags: '--format <names>',
      description: `Formats, of ${FORMAT_NAMES.join(', ')} (comma-separated, repeatable; default: tar.gz)`,
      isRepeatable: true,
    },
    { flags: '-n, --dry-run', description: 'Show files and digests, write nothing' },
    { flags: '--with-tests', description: 'Pack the folders tests and evals, too' },
    { flags: '--skip-lint', description: 'Pack a skill that has lint errors' },
    { flags: '--force', description: 'Replace an archive with other content' },
    { flags: '--max-files <n>', description: 'Refuse more files (default: 512)' },
    { flags: '--max-size <size>', description: 'Refuse more bytes, unpacked (default: 16MiB)' },
  ],
  examples: [
    {
      command: 'skills pack demo.greet --dry-run',
      explains: 'Show the files and digests of an archive',
    },
    {
      command: 'skills pack ./skills/greet --out dist --format tar.gz,zip,skill,oci',
      explains: 'Write all formats',
    },
    { command: 'skills pack demo.greet -o dist --json', explains: 'Print the same as JSON' },
  ],
  async run(context, call) {
    const { packSkills } = await import('../pack/pack-skills.ts')
    return await packSkills(context, call)
  },
}
