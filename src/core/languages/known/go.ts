import type { Language } from '../language.ts'

/** Subcommands of `go`; any other first argument is a file to run. */
const GO_COMMANDS = new Set(
  'bug build clean doc env fix fmt generate get help install list mod run telemetry test tool version vet work'.split(
    ' ',
  ),
)

export const go: Language = {
  name: 'go',
  title: 'Go',
  extensions: ['.go'],
  aliases: ['go'],
  candidates: [
    {
      program: 'go',
      versionArgs: ['version'],
      inline: () => ({
        file: 'main.go',
        compile: {
          product: 'program',
          command: ({ program, code, build }) => [
            program('go'),
            'build',
            '-o',
            `${build}/program`,
            code,
          ],
        },
        project: 'go.mod',
        run: ({ build }) => [`${build}/program`],
      }),
      buildDirectArgs: ([first = '', ...rest]) =>
        GO_COMMANDS.has(first) ? [first, ...rest] : ['run', first, ...rest],
    },
  ],
  install: 'Go (package "golang-go")',
  environment: {
    GOCACHE: '/workspace/.cache/go-build',
    GOPATH: '/workspace/.cache/go',
    GOTOOLCHAIN: 'local',
    GOTELEMETRY: 'off',
    GOFLAGS: '-buildvcs=false',
  },
  limits: {
    memoryBytes: 2 * 1024 ** 3,
    processes: 512,
    workspaceBytes: 1024 ** 3,
  },
}
