import type { Language } from '../language.ts'

/** Without this footer, a script whose last command failed exits with 0. */
const EXIT_FOOTER = `
$endedWell = $?
if ($LASTEXITCODE -is [int] -and $LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
if (-not $endedWell) { exit 1 }
`

const FLAGS = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File']

export const powershell: Language = {
  name: 'powershell',
  title: 'PowerShell',
  extensions: ['.ps1'],
  aliases: ['powershell', 'pwsh'],
  candidates: ['pwsh', 'powershell'].map((name) => ({
    program: name,
    isUntested: true,
    inline: () => ({
      file: 'main.ps1',
      footer: EXIT_FOOTER,
      run: ({ program, code }) => [program(name), ...FLAGS, code],
    }),
  })),
  install: 'PowerShell 7 ("pwsh")',
  codeOnly: true,
  environment: {
    POWERSHELL_TELEMETRY_OPTOUT: '1',
    DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1',
    DOTNET_CLI_TELEMETRY_OPTOUT: '1',
  },
  limits: { memoryBytes: 1024 ** 3, processes: 256 },
}
