import type { CommandDefinition } from '../command.ts'
import { TRUSTED_ROOT_OPTION } from '../signing/trusted-root-option.ts'

export const command: CommandDefinition = {
  summary: 'Verify the signatures of a skill or an archive',
  details: [
    'Verify the signatures of a skill or an archive.',
    '',
    '- Only trusted keys of "skills keys" count. A key in a skill, in an archive or',
    '  in a file of signatures is never trusted.',
    '- Every file is hashed: changed, missing and extra files are listed.',
    '- Without a skill, the files of all installed skills are compared with',
    '  skills.lock.',
    '- A key that is expired or revoked now does not count, whenever it signed.',
    '- Exits with 0 if the signatures are valid and trusted, 1 if not, and 2 if',
    '  a file of signatures or the trust list is not valid.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[skill]',
      description:
        'Name, name@version, folder of a skill, or an archive (default: all of skills.lock)',
    },
  ],
  options: [
    {
      flags: '--bundle <file>',
      description:
        'Read the signatures from this file (default: <skill>.intoto.jsonl or <skill>.sigstore.json next to it)',
    },
    {
      flags: '--source <source>',
      description: 'Origin of the files, for which the keys must be trusted',
    },
    TRUSTED_ROOT_OPTION,
    { flags: '-g, --global', description: 'Verify what is installed in ~/.agents/skills' },
    { flags: '--expect <name@version>', description: 'Accept only this skill and version' },
  ],
  examples: [
    {
      command: 'skills verify ./skills/greet --source github:alice/skills',
      explains: 'Verify a skill that was fetched from a repository',
      notRun: 'it needs signatures',
    },
    {
      command: 'skills verify greet.tar.gz --json',
      explains: 'Verify an archive, and print the result as JSON',
      notRun: 'it needs an archive',
    },
  ],
  async run(context, call) {
    if (call.args.length === 0) {
      const { verifyInstalled } = await import('../install/verify-installed.ts')
      return await verifyInstalled(context, call)
    }
    const { runVerify } = await import('../signing/run-verify.ts')
    return await runVerify(context, call)
  },
}
