import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    // Sandbox suites start processes of their own, so more workers than two slow each other down.
    maxWorkers: 2,
    tags: [
      {
        name: 'slow',
        description:
          "Attacks, crashes, leaks, floods, terminals, other projects' suites: npm run test:all runs them too.",
      },
    ],
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'json-summary'] },
  },
})
