package org.apache.spark.eventhubs.signin

/** Defines this class itself, as a session of Spark Connect does with a jar of its own. */
final class SessionLoader(className: String) extends ClassLoader(classOf[SessionLoader].getClassLoader) {

  override def loadClass(name: String, resolve: Boolean): Class[_] =
    if (name != className) super.loadClass(name, resolve)
    else
      Option(findLoadedClass(name)).getOrElse {
        val stream = getResourceAsStream(s"${name.replace('.', '/')}.class")
        try {
          val bytes = stream.readAllBytes()
          defineClass(name, bytes, 0, bytes.length)
        } finally stream.close()
      }

  /** In a thread of this session. */
  def run[A](use: => A): A = SessionLoader.in(this)(use)
}

object SessionLoader {

  /** Runs `use` in a thread with this class loader. */
  def in[A](loader: ClassLoader)(use: => A): A = {
    val before = Thread.currentThread.getContextClassLoader
    Thread.currentThread.setContextClassLoader(loader)
    try use
    finally Thread.currentThread.setContextClassLoader(before)
  }
}
