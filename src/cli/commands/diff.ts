import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Compare two versions of a skill by what changes for its users',
  details: [
    'Compare two versions of a skill by what changes for its users.',
    '',
    '- A side is a folder, a name, name@version, <skill>@<commit>, git:<commit>,',
    '  git:<commit>:<folder> or an archive. One side alone is compared with git:HEAD.',
    '- Code is parsed and never executed. Nothing is checked out.',
    '',
    'The exit status grows with the severity of the differences:',
    '  0    none, or only of the severity patch',
    '  10   minor: callers can do more, nothing else is needed',
    '  20   major: calls break, or the skill needs a new consent',
    '  30   danger: hidden text, secrets, or code that cannot be reviewed',
  ].join('\n'),
  arguments: [
    { syntax: '<skill>', description: 'The skill before; the one after if it stands alone' },
    { syntax: '[after]', description: 'The skill after' },
  ],
  options: [
    {
      flags: '--format <name[=file]>',
      description:
        'Print or write this report: text, json, sarif or markdown (repeatable; default: text)',
      isRepeatable: true,
    },
  ],
  examples: [
    {
      command: 'skills diff skills/greet',
      explains: 'Compare a folder with the last commit',
      notRun: 'it needs a git repository',
    },
    {
      command: 'skills diff demo.greet@v1.0.0 demo.greet',
      explains: 'Compare a tag with the skill on disk',
      notRun: 'it needs a git repository',
    },
    {
      command: 'skills diff dist/greet-1.0.0.tar.gz skills/greet',
      explains: 'Compare an archive with the skill on disk',
      notRun: 'it needs an archive',
    },
    {
      command: 'skills diff skills/greet skills/greet --json',
      explains: 'Compare two folders and print JSON',
    },
    {
      command:
        'skills diff git:main skills/greet --format markdown=diff.md --format sarif=diff.sarif',
      explains: 'Write reports for a pull request',
      notRun: 'it needs a git repository',
    },
  ],
  async run(context, call) {
    const { readDiffFormats, writeDiffReports } = await import('../diff/write-reports.ts')
    const choices = readDiffFormats(context, call)
    const { openConfig } = await import('../runtime.ts')
    const { config } = await openConfig(context)
    const { openSides } = await import('../diff/open-snapshot.ts')
    const { before, after, folder } = await openSides(context, call.args)
    const { compareSkills } = await import('../../core/comparing/compare-skills.ts')
    const comparison = await compareSkills(before, after, {
      python: config.run.python,
      env: context.env,
    })
    writeDiffReports(context, comparison, { choices, folder })
    const { toDiffExitStatus } = await import('../diff/exit-status.ts')
    return toDiffExitStatus(comparison.severity)
  },
}
