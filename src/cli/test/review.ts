import type { CommandDefinition } from '../command.ts'
import { resolveSkillNames } from '../skill-targets.ts'

export const reviewCommand: CommandDefinition = {
  summary: 'Accept or reject changed snapshots',
  details: [
    'Accept or reject changed snapshots.',
    '',
    '- "skills test" writes a text that its snapshot does not fit to a file with the',
    '  extension .new beside it.',
    '- Accepting moves it to its place, rejecting removes it.',
    '- Snapshots that no case needs are obsolete: accepting removes them, rejecting',
    '  keeps them.',
    '- Without --accept and --reject each is shown and decided at the terminal.',
    '- Without a terminal they are listed: exits with 1 if there is one.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[path...]',
      description: 'Skills, folders of skills, or snapshots (default: this folder)',
    },
  ],
  options: [
    { flags: '--accept', description: 'Accept all of them' },
    { flags: '--reject', description: 'Reject all of them' },
  ],
  examples: [
    {
      command: 'skills test review ./skills/greet',
      explains: 'Decide about the snapshots of a skill',
    },
    { command: 'skills test review --accept ./skills/greet', explains: 'Accept all of them' },
  ],
  async run(context, call) {
    const { reviewSnapshots } = await import('./review-snapshots.ts')
    return await reviewSnapshots(context, await resolveSkillNames(context, call))
  },
}
