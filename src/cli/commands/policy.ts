import type { CommandDefinition } from '../command.ts'
import { POLICY_OPTION } from '../policy/flags.ts'

export const command: CommandDefinition = {
  summary: 'Show what may be run, and try a request against it',
  details: [
    'Show what may be run, and try a request against it. The policy is policy.toml in your',
    "configuration folder, or policy.file; a project's policy.toml can only take away.",
  ].join(' '),
  subcommands: {
    check: {
      summary: 'Say what each layer makes of a request; nothing is run',
      details: [
        'Say what each layer makes of a request; nothing is run. The request is JSON as methods take',
        'it, or {"kind", "language", "executable", "repository", "cwd", "timeout", "skills", "network",',
        '"token", "door"}. The exit status is 0 where it is allowed and 1 where it is denied.',
      ].join(' '),
      arguments: [
        { syntax: '[request]', description: 'JSON, a file of it, or - for standard input' },
      ],
      options: [POLICY_OPTION],
      examples: [
        {
          command: 'skills policy check \'{"runtime": "python", "timeoutMs": 60000}\'',
          explains: 'May anybody here run Python for a minute?',
        },
        {
          command: 'skills policy check request.json --json',
          explains: 'The whole verdict for a program',
          notRun: 'it names a file that only some machine has',
        },
      ],
      run: async (context, call) =>
        await (await import('../policy/check.ts')).checkPolicyRequest(context, call),
    },
    explain: {
      summary: 'Show all that decides about runs, and where it stands',
      options: [POLICY_OPTION],
      examples: [
        { command: 'skills policy explain', explains: 'Settings, rules, approval, repositories' },
        { command: 'skills policy explain --json', explains: 'The same for a program' },
      ],
      run: async (context, call) =>
        await (await import('../policy/explain.ts')).explainPolicy(context, call),
    },
  },
}
