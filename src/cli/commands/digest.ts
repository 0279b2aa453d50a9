import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Print the digest of the files of a skill',
  details: [
    'Print the digest of the files of a skill.',
    '',
    '- The digest is the SHA-256 of the content manifest: a line per file with its',
    '  mode, size, SHA-256 and path, sorted by the bytes of the paths.',
    '- A folder and the archive of its files have the same digest.',
    '- An archive is read in memory, and refused if it is not safe to unpack.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[skill]',
      description: 'Name, name@version, folder or archive of a skill (default: this folder)',
    },
  ],
  options: [
    { flags: '--manifest', description: 'Print the content manifest instead of its digest' },
    { flags: '--packed', description: 'Read only the files that "skills pack" packs' },
  ],
  examples: [
    { command: 'skills digest demo.greet', explains: 'Print the digest of a skill' },
    {
      command: 'skills digest ./skills/greet --manifest',
      explains: 'Print the mode, size, SHA-256 and path of each file',
    },
    {
      command: 'skills digest greet-1.0.0.tar.gz',
      explains: 'Check an archive and print the digest of its files',
      notRun: 'needs an archive',
    },
  ],
  async run(context, call) {
    const { printDigest } = await import('../pack/print-digest.ts')
    return await printDigest(context, call)
  },
}
