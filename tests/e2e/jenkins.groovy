// Runs Jenkinsfiles on nothing: declarative pipelines that record what they would do. It is as strict as
// Jenkins about the words that it knows.
// Reads a JSON list of words from each line of its input:
// FILE [NAME=VALUE...] [COMMAND?=STATUS...] [COMMAND?>=TEXT...]
//   NAME=VALUE      a variable of the environment; TRIGGER is what started the build, ABSENT the id of
//                   credentials that this Jenkins does not have
//   COMMAND?=STATUS what a shell command ends with, in place of 0
//   COMMAND?>=TEXT  what it prints
// Answers each with a line of JSON: result, cron, aborts and stages, each with agent, minutes, commands and
// credentials; or `wrong`, a text.
import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import org.codehaus.groovy.control.CompilerConfiguration

class Refused extends RuntimeException {
    Refused(String message) { super(message) }
}

class CommandFailed extends RuntimeException {
    CommandFailed(String message) { super(message) }
}

// A block of the pipeline: only what a subclass has as a method may stand in it.
abstract class Block {
    Map env
    final String any = 'any'
    final String none = 'none'

    void run(Closure body) {
        body.delegate = this
        body.resolveStrategy = Closure.DELEGATE_ONLY
        body.call()
    }

    def methodMissing(String name, args) {
        throw new Refused("'${name}' is no word of a ${getClass().simpleName.toLowerCase()} block")
    }

    def propertyMissing(String name) {
        throw new Refused("'${name}' is nothing in a ${getClass().simpleName.toLowerCase()} block")
    }
}

class Agent extends Block {
    String wanted

    void label(Object text) { wanted = text.toString() }

    static String of(Map env, Object given) {
        if (!(given instanceof Closure)) {
            return given
        }
        def it = new Agent(env: env)
        it.run(given)
        if (it.wanted == null) {
            throw new Refused('an agent without a label')
        }
        if (it.wanted == 'null') {
            throw new Refused("waits for ever for an agent with the label '${it.wanted}'")
        }
        return it.wanted ?: 'any'
    }
}

class Options extends Block {
    Map found = [:]

    void timeout(Map how) { found.minutes = minutes(how) }

    static Object minutes(Map how) {
        def units = [SECONDS: 1 / 60, MINUTES: 1, HOURS: 60]
        if (how.keySet() - ['time', 'unit', 'activity'] || !(how.unit in units.keySet())) {
            throw new Refused("timeout(${how})")
        }
        return how.time * units[how.unit]
    }

    void disableConcurrentBuilds(Map how) { found.disableConcurrentBuilds = how }

    void buildDiscarder(Object how) { found.buildDiscarder = how }

    Map logRotator(Map how) { how }
}

class When extends Block {
    boolean before = false
    List<Closure> conditions = []

    void beforeAgent(boolean yes) { before = yes }

    void expression(Closure condition) { conditions << condition }

    // A condition may say why it does not hold.
    void echo(String message) { env.SAID = (env.SAID ?: '') + message }

    void triggeredBy(String what) { conditions << { env.TRIGGER == what } }

    void not(Closure body) {
        def inner = new When(env: env)
        inner.run(body)
        conditions << { !inner.holds() }
    }

    boolean holds() {
        conditions.every {
            it.delegate = this
            it.resolveStrategy = Closure.DELEGATE_FIRST
            it.call()
        }
    }
}

class Triggers extends Block {
    String found

    void cron(String when) { found = when }
}

// What may stand in `steps` and `script`; records it.
class Steps extends Block {
    static Class absent
    Map statuses
    Map texts
    Map record
    List held = []
    boolean onAgent = true
    boolean hasFiles = true
    final String scm = 'scm'

    // One that has neither files nor an agent's machine of its own until it checks them out.
    void node(Closure body) {
        def before = [onAgent, hasFiles]
        (onAgent, hasFiles) = [true, false]
        try {
            run(body)
        } finally {
            (onAgent, hasFiles) = before
        }
    }

    void checkout(String what) {
        if (what != scm || !onAgent) {
            throw new Refused("checkout ${what}")
        }
        hasFiles = true
    }

    // All of them, whichever fails.
    void parallel(Map<String, Closure> branches) {
        if (onAgent) {
            throw new Refused('waits in an agent for other agents: with one executor, for ever')
        }
        def failures = [:]
        branches.each { name, body ->
            try {
                run(body)
            } catch (CommandFailed failure) {
                failures[name] = failure.message
            }
        }
        record.branches = branches.keySet() as List
        record.failed = failures.keySet() as List
        if (failures) {
            throw new CommandFailed(failures.values().join('; '))
        }
    }

    void run(Closure body) {
        body.delegate = this
        body.resolveStrategy = Closure.DELEGATE_FIRST
        body.call()
    }

    def sh(String script) { sh(script: script) }

    def sh(Map how) {
        if (how.keySet() - ['script', 'returnStatus', 'returnStdout', 'label']) {
            throw new Refused("sh(${how})")
        }
        if (!onAgent) {
            throw new Refused("the stage '${record.name}' has no agent")
        }
        if (!hasFiles) {
            throw new Refused("'${how.script}' runs where nothing is checked out")
        }
        how.script = how.script.toString()
        record.commands << how.script
        if (held) {
            record.credentials[how.script] = held.flatten()
        }
        int status = (statuses[how.script] ?: 0) as int
        if (how.returnStatus) {
            return status
        }
        if (status) {
            throw new CommandFailed("${how.script}: ${status}")
        }
        return how.returnStdout ? texts[how.script] : null
    }

    // How long the steps in it may take, where the wait for the agent is over.
    void timeout(Map how, Closure body) {
        record.minutes = Options.minutes(how)
        run(body)
    }

    void script(Closure body) { run(body) }

    void withCredentials(List bindings, Closure body) {
        if (bindings.any { it[0] == env.ABSENT }) {
            throw absent.newInstance("Could not find credentials entry with ID '${env.ABSENT}'".toString())
        }
        held << bindings
        try {
            run(body)
        } finally {
            held.remove(held.size() - 1)
        }
    }

    List usernamePassword(Map how) { [how.credentialsId, how.usernameVariable, how.passwordVariable] }

    List string(Map how) { [how.credentialsId, how.variable] }

    List file(Map how) { [how.credentialsId, how.variable] }

    void echo(Object message) { record.said = message.toString() }

    void unstable(String message) {
        record.result = 'UNSTABLE'
        record.message = message
    }

    void error(Object message) { throw new CommandFailed(message.toString()) }

    void junit(Map how) { record.junit = how.testResults }

    void archiveArtifacts(Map how) { record.artifacts << how.artifacts }

    void stash(Map how) { record.stashes << how.name }

    void unstash(String name) { record.unstashes << name }
}

class Post extends Block {
    List<Closure> bodies = []

    void always(Closure body) { bodies << body }
}

class Stage extends Block {
    Map blocks = [:]

    void keep(String name, Object what) {
        if (blocks.containsKey(name)) {
            throw new Refused("two '${name}' in a stage")
        }
        blocks[name] = what
    }

    void agent(Object what) { keep('agent', what) }

    void options(Closure body) { keep('options', body) }

    void when(Closure body) { keep('when', body) }

    void steps(Closure body) { keep('steps', body) }

    void post(Closure body) { keep('post', body) }

    void parallel(Closure body) { keep('parallel', body) }
}

class Stages extends Block {
    Map<String, Closure> found = [:]

    void stage(String name, Closure body) {
        if (found.containsKey(name)) {
            throw new Refused("two stages are called '${name}'")
        }
        found[name] = body
    }
}

class Pipeline extends Block {
    Map statuses
    Map texts
    Map blocks = [:]
    List records = []
    String cron
    Object aborts
    String result = 'SUCCESS'

    void agent(Object what) { blocks.agent = what }

    void options(Closure body) { blocks.options = body }

    void triggers(Closure body) { blocks.triggers = body }

    void stages(Closure body) { blocks.stages = body }

    void execute() {
        def missing = ['agent', 'stages'].findAll { !blocks.containsKey(it) }
        if (missing) {
            throw new Refused("a pipeline without ${missing.join(' and ')}")
        }
        String outer = Agent.of(env, blocks.agent)
        def options = new Options(env: env)
        options.run(blocks.options ?: {})
        aborts = options.found.disableConcurrentBuilds?.abortPrevious
        def triggers = new Triggers(env: env)
        triggers.run(blocks.triggers ?: {})
        cron = triggers.found
        def list = new Stages(env: env)
        list.run(blocks.stages)
        if (!list.found) {
            throw new Refused('a pipeline without a stage')
        }
        list.found.each { name, body -> one(name, body, outer) }
    }

    void one(String name, Closure body, String outer) {
        def stage = new Stage(env: env)
        stage.run(body)
        def blocks = stage.blocks
        if (blocks.parallel) {
            side(name, blocks, outer)
            return
        }
        if (!blocks.steps) {
            throw new Refused("the stage '${name}' has no steps")
        }
        def options = new Options(env: env)
        options.run(blocks.options ?: {})
        def record = [name: name, result: 'SUCCESS', minutes: options.found.minutes, commands: [],
                      credentials: [:], artifacts: [], stashes: [], unstashes: []]
        records << record
        def when = new When(env: env)
        when.run(blocks.when ?: {})
        if (result == 'FAILURE' || (when.before && !when.holds())) {
            record.result = 'SKIPPED'
            return
        }
        record.agent = blocks.agent == null ? outer : Agent.of(env, blocks.agent)
        if (!when.holds()) {
            record.result = 'SKIPPED'
            return
        }
        perform(record, blocks)
    }

    // Stages side by side: one that fails does not keep the others from running.
    void side(String name, Map blocks, String outer) {
        if (blocks.keySet() != ['parallel'] as Set) {
            throw new Refused("the stage '${name}' has more than its parallel stages")
        }
        def list = new Stages(env: env)
        list.run(blocks.parallel)
        String before = result
        def ended = list.found.collect { each, body ->
            result = before
            one(each, body, outer)
            records[-1].beside = name
            return result
        }
        result = ended.find { it == 'FAILURE' } ?: ended.find { it == 'UNSTABLE' } ?: before
    }

    void perform(Map record, Map blocks) {
        boolean agent = record.agent != 'none'
        def steps = new Steps(env: env, statuses: statuses, texts: texts, record: record,
                              onAgent: agent, hasFiles: agent)
        try {
            steps.run(blocks.steps)
        } catch (CommandFailed failure) {
            record.result = 'FAILURE'
            record.message = failure.message
        }
        def post = new Post(env: env)
        post.run(blocks.post ?: {})
        post.bodies.each { steps.run(it) }
        if (record.result == 'FAILURE' || result == 'SUCCESS') {
            result = record.result
        }
    }
}

class Top extends Block {
    Map statuses
    Map texts
    Pipeline made

    void pipeline(Closure body) {
        made = new Pipeline(env: env, statuses: statuses, texts: texts)
        made.run(body)
        made.execute()
    }
}

Map record(List words) {
    def env = [:]
    def statuses = [:]
    def texts = [:]
    words.drop(1).each {
        def (name, value) = it.split('=', 2) as List
        if (name.endsWith('?>')) {
            texts[name[0..-3]] = value
        } else if (name.endsWith('?')) {
            statuses[name[0..-2]] = value
        } else {
            env[name] = value
        }
    }
    def top = new Top(env: env, statuses: statuses, texts: texts)
    def settings = new CompilerConfiguration(scriptBaseClass: DelegatingScript.name)
    try {
        // Jenkins' own, which a pipeline may catch.
        def loader = new GroovyClassLoader(this.class.classLoader)
        Steps.absent = loader.parseClass('''
            package org.jenkinsci.plugins.credentialsbinding.impl
            class CredentialNotFoundException extends RuntimeException {
                CredentialNotFoundException(String message) { super(message) }
            }''')
        def script = new GroovyShell(loader, new Binding(), settings).parse(new File(words[0]))
        script.setDelegate(top)
        script.run()
        if (top.made == null) {
            throw new Refused('no pipeline')
        }
        return [result: top.made.result, cron: top.made.cron, said: env.SAID, aborts: top.made.aborts,
                stages: top.made.records]
    } catch (Exception | Error wrong) {
        return [wrong: "${wrong.class.simpleName}: ${wrong.message}"]
    }
}

def answers = System.out
System.out = System.err // for what a pipeline prints
System.in.eachLine { answers.println(JsonOutput.toJson(record(new JsonSlurper().parseText(it)))) }
