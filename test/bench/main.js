// npm run bench: this build against its limits, or with --against <commit> against another build.
if (process.argv.includes('--against')) await import('./against/main.js')
else await import('./limits.js')
