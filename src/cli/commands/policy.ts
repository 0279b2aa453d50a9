import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition } from '../command.ts'
import { POLICY_OPTION } from '../policy/flags.ts'

export const command: CommandDefinition = {
  summary: 'Explain the policy, and check a request against it',
  details: [
    'Explain the policy, and check a request against it.',
    '',
    "- The operator's policy is policy.toml in the user's configuration folder,",
    '  or policy.file.',
    "- A project's policy.toml can only restrict it.",
  ].join('\n'),
  subcommands: {
    check: {
      summary: 'Show the decision of each layer on a request, without a run',
      details: [
        'Show the decision of each layer on a request, without a run.',
        '',
        'The request is JSON: parameters of a method, or an object with "kind",',
        '"language", "executable", "repository", "cwd", "timeout", "skills",',
        '"network", "environment", "token" and "door".',
        '',
        'The exit status is 1 for a denied request.',
      ].join('\n'),
      arguments: [{ syntax: '[request]', description: 'JSON, a file, or - for standard input' }],
      options: [POLICY_OPTION, ...REMOTE_OPTIONS],
      examples: [
        {
          command: 'skills policy check \'{"runtime": "python", "timeoutMs": 60000}\'',
          explains: 'Check whether Python may run for a minute',
        },
        {
          command: 'skills policy check request.json --json',
          explains: 'Print the complete decision as JSON',
          notRun: 'it needs a request file',
        },
        {
          command:
            'skills policy check --url http://127.0.0.1:8080 \'{"runtime": "python", "door": "http"}\'',
          explains: 'Check a request against the policy of a server',
          notRun: 'it needs a server',
        },
      ],
      run: async (context, call) =>
        await (await import('../policy/check.ts')).checkPolicyRequest(context, call),
    },
    explain: {
      summary: 'Show every setting and rule that affects runs, with its location',
      options: [POLICY_OPTION, ...REMOTE_OPTIONS],
      examples: [
        {
          command: 'skills policy explain',
          explains: 'Show settings, rules, approval and repositories',
        },
        { command: 'skills policy explain --json', explains: 'Print the same as JSON' },
      ],
      run: async (context, call) =>
        await (await import('../policy/explain.ts')).explainPolicy(context, call),
    },
  },
}
