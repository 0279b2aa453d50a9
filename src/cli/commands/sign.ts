import type { CommandDefinition } from '../command.ts'
import { PASSPHRASE_OPTION } from '../signing/passphrase.ts'

export const command: CommandDefinition = {
  summary: 'Sign a skill or an archive with a key',
  details: [
    'Sign a skill or an archive of "skills pack" with a key of "skills keys".',
    '',
    '- The signature covers every file: path, mode, size and content.',
    '- It is written next to the skill, to <skill>.intoto.jsonl: one envelope',
    '  (DSSE) with an in-toto statement a line. Nothing in the skill changes.',
    '- "skills pack" leaves tests out: sign the archive that others install.',
    '- Signatures of other keys for the same content are kept.',
  ].join('\n'),
  arguments: [
    { syntax: '<skill>', description: 'Name, name@version, or folder of a skill, or an archive' },
  ],
  options: [
    {
      flags: '--key <name>',
      description: 'Name of the key, as in "skills keys list" (default: the only one)',
    },
    {
      flags: '--source <source>',
      description: 'State where the skill comes from, such as github:owner/repo',
    },
    { flags: '--commit <id>', description: 'State the commit of the source' },
    {
      flags: '--test-report <file>',
      description: 'State the results of a report of skills test --reporter json',
    },
    { flags: '--bundle <file>', description: 'Write the signatures to this file' },
    PASSPHRASE_OPTION,
  ],
  examples: [
    {
      command: 'skills sign ./skills/greet --key release --source github:alice/skills',
      explains: 'Sign a skill, and state its source',
      notRun: 'it needs a key',
    },
    {
      command: 'skills sign dist/greet-1.0.0.tar.gz --key release',
      explains: 'Sign an archive that "skills pack" wrote',
      notRun: 'it needs a key',
    },
    {
      command: 'skills sign ./skills/greet --key release --test-report report.json',
      explains: 'State the results of its tests as well',
      notRun: 'it needs a key and a report',
    },
  ],
  async run(context, call) {
    const { runSign } = await import('../signing/run-sign.ts')
    return await runSign(context, call)
  },
}
