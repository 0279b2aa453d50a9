import type { Candidate, Language } from '../language.ts'

export const csharp: Language = {
  name: 'csharp',
  title: 'C#',
  extensions: ['.cs', '.csx'],
  aliases: ['dotnet-script', 'mcs', 'csc'],
  candidates: [
    {
      program: 'dotnet-script',
      needs: ['dotnet'],
      isUntested: true,
      inline: () => ({
        file: 'main.csx',
        run: ({ program, code }) => [program('dotnet-script'), code],
      }),
    },
    createMonoCandidate('mcs'),
    { ...createMonoCandidate('csc'), versionArgs: ['-version'] },
  ],
  install: 'Mono (packages "mono-mcs" and "mono-runtime") or dotnet-script',
  environment: {
    DOTNET_CLI_HOME: '/workspace/.cache/dotnet',
    DOTNET_CLI_TELEMETRY_OPTOUT: '1',
    DOTNET_NOLOGO: '1',
    DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1',
  },
  settings: ['mono'],
  limits: { memoryBytes: 1024 ** 3, processes: 256 },
}

function createMonoCandidate(name: string): Candidate {
  return {
    program: name,
    needs: ['mono'],
    inline: () => ({
      file: 'main.cs',
      compile: {
        product: 'program.exe',
        command: ({ program, code, build }) => [program(name), `-out:${build}/program.exe`, code],
      },
      run: ({ program, build }) => [program('mono'), `${build}/program.exe`],
    }),
  }
}
