import { getFlagOption, type CommandDefinition } from '../command.ts'
import { TRUSTED_ROOT_OPTION } from '../signing/trusted-root-option.ts'

export const command: CommandDefinition = {
  summary: 'Show a skill of a source, without installing it',
  details: [
    'Show a skill of a source, without installing it.',
    '',
    '- A source is what "skills install" takes, or the name of a skill that is',
    '  here.',
    '- Shows its origin, signers, rights, sizes, costs in tokens, lint errors,',
    '  and how it differs from what is installed.',
    '- Nothing of the skill is installed or executed.',
    '- The digest is the SHA-256 of the content manifest: a line per file with its',
    '  mode, size, SHA-256 and path, sorted by the bytes of the paths. A folder',
    '  and the archive of its files have the same digest.',
  ].join('\n'),
  arguments: [{ syntax: '<source>', description: 'Folder, archive, address, or name of a skill' }],
  options: [
    TRUSTED_ROOT_OPTION,
    { flags: '--digest', description: 'Print only the digest of a skill, folder or archive' },
    { flags: '--manifest', description: 'Print its content manifest instead of the digest' },
    { flags: '--packed', description: 'Print the digest of what "skills pack" would pack' },
  ],
  examples: [
    { command: 'skills info demo.greet', explains: 'Show a skill that is here' },
    {
      command: 'skills info github:acme/skills/greet@v2 --json',
      explains: 'Show a skill of a repository as JSON',
      notRun: 'it needs a server',
    },
    { command: 'skills info --digest demo.greet', explains: 'Print the digest of a skill' },
    {
      command: 'skills info --manifest ./skills/greet',
      explains: 'Print the mode, size, SHA-256 and path of each file',
    },
  ],
  async run(context, call) {
    if (['digest', 'manifest', 'packed'].some((flag) => getFlagOption(call, flag))) {
      const { printDigest } = await import('../info/print-digest.ts')
      return await printDigest(context, call)
    }
    const { runInfo } = await import('../info/run-info.ts')
    return await runInfo(context, call)
  },
}
